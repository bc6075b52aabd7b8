import {
  AIMessage,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { END, MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { VfsSaver } from "@palimpsest/checkpoint";
import {
  compactionNode,
  contextState,
  foldNode,
  predictiveContextNode,
  type ContextOptions,
} from "@palimpsest/langgraph";

/** The places in which a text is planted. */
export const places = [
  "user",
  "reply",
  "argument",
  "long argument",
  "result",
  "long result",
  "file",
  "image",
] as const;

export type Place = (typeof places)[number];

/** A lane of which other agents read nothing. */
const lane = { name: "scout", share: "none" } as const;

/** The nodes that keep a thread in its window. */
export const hosts = {
  compactionNode: (options: ContextOptions) => compactionNode(options),
  "compactionNode as a view": (options: ContextOptions) =>
    compactionNode({ ...options, outputKey: "context" }),
  foldNode: (options: ContextOptions) => foldNode({ ...options, blockTokens: 600, recentBlocks: 2 }),
  predictiveContextNode: ({ files }: ContextOptions) => predictiveContextNode({ files, budget: 2_000 }),
  "compactionNode in a lane": (options: ContextOptions) => compactionNode({ ...options, lane }),
  "foldNode in a lane": (options: ContextOptions) =>
    foldNode({ ...options, lane, blockTokens: 600, recentBlocks: 2 }),
} as const;

export type Host = keyof typeof hosts;

/** A text and where it stands. */
export interface Planted {
  readonly place: Place;
  readonly secret: string;
}

/** What all planted texts end with. */
export const commonEnd = "x7Qz9-fnord";

/** Returns texts that stand nowhere else, in all places in turn. Pure. */
export function secretsFor(count: number, from = 0): readonly Planted[] {
  return Array.from({ length: count }, (_, at) => ({
    place: places[at % places.length] ?? "user",
    secret: `sk-${(from + at).toString(36)}-${((from + at + 1) * 7_919).toString(36)}${commonEnd}`,
  }));
}

const filler = "nothing new";

/** Returns the messages of one turn with a text in its place. Pure. */
export function turnWith({ place, secret }: Planted, turn: number): readonly BaseMessage[] {
  const here = (own: Place, text: string) => (place === own ? text.replace(filler, secret) : text);
  const long = (word: string, count: number) =>
    Array.from({ length: count }, (_, at) => `${word} ${turn} ${at} says ${filler} of the report`).join("\n");
  const id = `call-${turn}`;
  const pixels = Buffer.concat([Buffer.from([137, 80, 78, 71, turn]), Buffer.from(here("image", filler))]);
  const url = `data:image/png;base64,${pixels.toString("base64")}`;
  const args = {
    query: here("argument", filler),
    body: here("long argument", place === "long argument" ? long("body", 60) : filler),
  };
  return [
    new HumanMessage({
      id: `h${turn}`,
      content: [
        { type: "text", text: here("user", `Turn ${turn}: ${filler}, go on.`) },
        { type: "image_url", image_url: { url } },
      ],
    }),
    new AIMessage({
      id: `a${turn}`,
      content: here("reply", `I look, ${filler} yet.`),
      tool_calls: [{ id, name: "fetch", args }],
    }),
    new ToolMessage({
      id: `r${turn}`,
      name: "fetch",
      tool_call_id: id,
      content: here(
        place,
        place === "long result" ? long("result", 90) : here("result", `Page ${turn}: ${filler}.`),
      ),
    }),
    new AIMessage({ id: `b${turn}`, content: `Page ${turn} is read.` }),
  ];
}

export interface PlantOptions {
  readonly threadId: string;
  /** Number of the first turn. @default 0 */
  readonly first?: number;
  /** @default compactionNode */
  readonly host?: Host;
}

/** Runs turns of a thread, of which most is folded, with each text in a turn of its own. Returns its messages as they were said. */
export async function plantThread(
  saver: VfsSaver,
  planted: readonly Planted[],
  { threadId, first = 0, host = "compactionNode" }: PlantOptions,
): Promise<readonly BaseMessage[]> {
  const options = {
    files: saver.files,
    contextWindow: 4_000,
    keep: { messages: 4 },
    limits: { offload: 300 },
  };
  let written: readonly BaseMessage[] = [];
  let note: string | undefined;
  const graph = new StateGraph(
    new StateSchema({ messages: MessagesValue, context: MessagesValue, ...contextState }),
  )
    .addNode("compact", hosts[host](options))
    .addNode("agent", async (state) => {
      const { workspace } = saver.files.thread(threadId, state.files);
      if (note !== undefined) await workspace.write(`/notes-${written[0]?.id}.md`, note);
      return { messages: written.slice(1), files: workspace.changes };
    })
    .addEdge(START, "compact")
    .addEdge("compact", "agent")
    .addEdge("agent", END)
    .compile({ checkpointer: saver });
  const system = new SystemMessage({ id: "s", content: "Be brief." });
  const thread: BaseMessage[] = first === 0 ? [system] : [];
  for (const [at, each] of planted.entries()) {
    written = turnWith(each, first + at);
    note = each.place === "file" ? `# Notes\nThe key is ${each.secret}.\n` : undefined;
    const given = first + at === 0 ? [system, ...written.slice(0, 1)] : written.slice(0, 1);
    await graph.invoke({ messages: given }, { configurable: { thread_id: threadId } });
    thread.push(...written);
  }
  return thread;
}

/** What a provider is sent of a message, with a tombstone in the place of each text. Pure. */
export function erasedImage(message: BaseMessage, planted: readonly Planted[], tombstone: string): string {
  const { id, tool_calls: calls } = message as AIMessage;
  const holds = (base64: string) =>
    planted.some(({ secret }) => Buffer.from(base64, "base64").includes(secret));
  const content = typeof message.content === "string" ? message.content : message.content.map(blockWithout);
  const image = JSON.stringify([id, content, calls]);
  return planted.reduce((text, { secret }) => text.replaceAll(secret, tombstone), image);

  function blockWithout(block: object): object {
    const { url } = (block as { readonly image_url?: { readonly url: string } }).image_url ?? {};
    return url !== undefined && holds(url.slice(url.indexOf(",") + 1))
      ? { type: "text", text: tombstone }
      : block;
  }
}

/** Returns the forms in which a text may stand in bytes: as it is, and as base64 at any offset. Pure. */
export function rawForms(secret: string): readonly Buffer[] {
  const bytes = Buffer.from(secret);
  const encoded = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString("base64");
    return Buffer.from(text.slice(4, -4));
  });
  return [bytes, ...encoded];
}
