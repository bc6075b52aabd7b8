import { readState, stepsOf, unfoldState } from "@palimpsest/inspector";
import { ScopeMemory } from "@palimpsest/langgraph";
import { counted, oneLine, terminalText } from "../terminal-text.js";
import { countOption, type Verb } from "../verb.js";

/** Makes notes of the threads of a scope. */
export const consolidate: Verb = {
  name: "consolidate",
  description: "Add threads to a scope, such as a user, and make notes of all its threads for later ones",
  args: ["<scope>", "[threads...]"],
  options: [["--tokens <number>", "size of the notes to print, which a new thread begins with", "2000"]],
  canWrite: true,
  async run({ saver, args: [scope = "", ...threads], options, progress }) {
    const tokens = countOption(options, "tokens");
    const memory = new ScopeMemory({ files: saver.files, scope: () => scope });
    let recorded = 0;
    for (const thread of threads) {
      if (thread === undefined) continue;
      progress(`recording ${oneLine(thread, 60)}`);
      const messages = await unfoldState(saver, await readState(saver, thread));
      const newest = (await stepsOf(saver, thread)).at(-1)?.createdAt;
      const at = newest === undefined ? {} : { at: new Date(newest) };
      recorded += await memory.record({ scope, threadId: thread, ...at }, messages);
    }
    progress(`reading the turns of ${oneLine(scope, 60)}`);
    const made = await memory.consolidate(scope);
    const notes = await memory.notes(scope, tokens);
    const summary = `${oneLine(scope, 60)}: ${counted(made.threads, "thread")}, ${counted(recorded, "turn")} recorded, ${counted(made.turns, "turn")} read, ${counted(made.notes, "note")}.\n`;
    const lines = notes.map(
      ({ text, path, line, at }) => `${at.slice(0, 10)}  ${text}\n            ${path}:${line}\n`,
    );
    return {
      data: { scope, recorded, ...made, chosen: notes },
      text: terminalText([summary, ...lines].join("")),
    };
  },
};
