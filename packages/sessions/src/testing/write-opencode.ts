import type { Story, StoryCall } from "./story.js";

/** Returns a story as an export of opencode, printed on several lines. */
export function writeOpencode(story: Story): string {
  return JSON.stringify({ info: opencodeInfo(story), messages: opencodeMessages(story) }, undefined, 2);
}

/** Returns a story as the files below opencode's `storage/`: path -> text. */
export function opencodeFiles(story: Story): ReadonlyMap<string, string> {
  const files = new Map([
    [`session/project/${story.id}.json`, JSON.stringify(opencodeInfo(story), undefined, 2)],
  ]);
  for (const { info, parts } of opencodeMessages(story)) {
    files.set(`message/${story.id}/${info.id}.json`, JSON.stringify(info, undefined, 2));
    for (const [at, part] of parts.entries())
      files.set(`part/${info.id}/${partName(info.id, at)}.json`, JSON.stringify(part, undefined, 2));
  }
  return files;
}

/** Returns a story as the rows of opencode's database, table by table. */
export function opencodeRows(story: Story): readonly (readonly [table: string, row: OpencodeRow])[] {
  const { title, directory, version } = opencodeInfo(story);
  const session = { id: story.id, title, directory, version, time_created: 1, time_updated: 2 };
  const rows = opencodeMessages(story).flatMap(({ info, parts }): (readonly [string, OpencodeRow])[] => {
    const { id, ...data } = info;
    const times = { session_id: story.id, time_created: info.time.created, time_updated: info.time.created };
    return [
      ...parts.map((part, at): readonly [string, OpencodeRow] => [
        "part",
        { id: partName(id, at), message_id: id, ...times, data: JSON.stringify(part) },
      ]),
      ["message", { id, ...times, data: JSON.stringify(data) }],
    ];
  });
  return [...rows, ["session", session]];
}

function partName(message: string, at: number): string {
  return `prt_${message}_${String(at).padStart(3, "0")}`;
}

export type OpencodeRow = Readonly<Record<string, string | number>>;

/** Returns a story as lines of opencode's storage, of files or of rows. */
export function writeOpencodeStorage(story: Story, of: "files" | "rows" = "files"): string {
  const lines: object[] = [];
  if (of === "rows") lines.push(...opencodeRows(story).map(([table, row]) => ({ table, row })));
  else {
    const files = opencodeFiles(story);
    const below = (folder: string) => [...files].filter(([path]) => path.startsWith(folder));
    for (const [path, text] of below("message/")) {
      const id = path.split("/").at(-1)?.replace(".json", "");
      for (const [file, part] of [...below(`part/${id}/`), [path, text] as const])
        lines.push({ file, text: part });
    }
    for (const [file, text] of below("session/")) lines.push({ file, text });
  }
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

interface OpencodeMessage {
  readonly info: {
    readonly id: string;
    readonly time: { readonly created: number };
    readonly [field: string]: unknown;
  };
  readonly parts: readonly object[];
}

function opencodeInfo({ id }: Story) {
  return {
    id,
    title: "Rename",
    directory: "/home/user/heron",
    version: "1.1.0",
    time: { created: 1, updated: 2 },
  };
}

function opencodeMessages({ id, model, steps }: Story): readonly OpencodeMessage[] {
  return steps.flatMap((step, at): readonly OpencodeMessage[] => {
    const name = `msg_${String(at).padStart(4, "0")}`;
    const head = { id: name, sessionID: id, time: { created: at } };
    const asked = { ...head, role: "user" };
    if (step.kind === "user") return [{ info: asked, parts: [{ type: "text", text: step.text }] }];
    const tokens = { input: step.tokens, output: 20, reasoning: 0, cache: { read: 0, write: 0 } };
    const answer = { ...head, role: "assistant", modelID: model, tokens };
    if (step.kind === "compaction")
      return [
        { info: { ...asked, id: `${name}_ask` }, parts: [{ type: "compaction", auto: true }] },
        {
          info: { ...answer, id: `${name}_b`, summary: true },
          parts: [{ type: "text", text: step.summary }],
        },
      ];
    const parts = [
      { type: "step-start" },
      { type: "text", text: step.text },
      ...step.calls.map(opencodeTool),
    ];
    return [{ info: answer, parts }];
  });
}

function opencodeTool({ id, name, args, result, isError }: StoryCall): object {
  const state = isError
    ? { status: "error", input: args, error: result }
    : { status: "completed", input: args, output: result };
  return { type: "tool", id: `prt_${id}`, callID: id, tool: name, state };
}
