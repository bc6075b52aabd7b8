/** How the model gives its directives. */
export type DirectiveForm = "tool" | "text";

const head = `Your context is a workspace that you shape yourself.
Earlier steps stand as blocks, oldest first: "[S<id> steps <first>-<last>] summary". Your latest interaction stands in full.
With your reply that interaction becomes a block of its own, with an automatic summary unless you say otherwise. You can say:
- granular condensation: write the summary of that interaction yourself, with every name, number, address and quotation
  that you may need later;
- deep consolidation: merge a range of blocks, up to that interaction or between two blocks, into one summary. Do it when a
  sub-task is done, or when several steps led nowhere: then keep what was tried, why it failed, and what is left to try.
A range starts at the first step of a block and ends at the last step of one. Nothing is lost: unfold with a block's id, such
as S12, shows its originals. Never fold what you are about to use.`;

const byTool = `Say it with the tool fold_context, in the same message as your next action:
{"summary":"…"} for the interaction alone, {"range":[first step,last step],"summary":"…"} for several.
When the user changes the goal, give the new one as "goal".`;

const byText = `Say it at the end of your reply, once, with nothing else inside the tags:
<context>{"range":[first step,last step],"summary":"…"}</context>
or <context>{"fold":{"type":"granular_condensation","summary_text":"…"}}</context>
or <context>{"fold":{"type":"deep_consolidation","target":{"ids":[1,2,3]},"summary_text":"…"}}</context>
When the user states a task or changes it, write it once as <goal>the task in one sentence</goal>.`;

/** Returns what a model has to know to fold its own context: part of the host's system prompt. The same on every call. */
export function foldPrompt(form: DirectiveForm = "tool"): string {
  return `${head}\n${form === "tool" ? byTool : byText}`;
}
