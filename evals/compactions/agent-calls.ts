import { ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { toolCalls } from "@palimpsest/context";
import { messageText } from "@palimpsest/context/internal";

/** What a call of an agent is for. */
export type CallKind = "read" | "search" | "ask" | "edit" | "other";

/** A call, and what it returned. */
export interface AgentCall {
  readonly kind: CallKind;
  readonly name: string;
  /** The file that it names; undefined where it names none. */
  readonly path: string | undefined;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
  /** What the agent said as it made the call. */
  readonly said: string;
  /** Index of the message that made it. */
  readonly at: number;
}

const kinds: readonly (readonly [CallKind, RegExp])[] = [
  ["edit", /^(?:multi|notebook)?_?(?:edit|write)(?:_file)?$|^str_replace|^create_file$|^apply_patch$/i],
  ["read", /^(?:notebook)?_?(?:read|view|open)(?:_file)?$/i],
  ["search", /^(?:grep|glob|ls|list|find|search)(?:_\w+)?$|^web_?(?:search|fetch)$/i],
  ["ask", /^ask_?user/i],
];
const shells = /^(?:bash|shell|execute|run_command)$/i;
/** The first program of a command, after a change of directory and variables. */
const program = /^(?:\s*cd\s+\S+\s*(?:&&|;)\s*)?(?:\w+=\S*\s+)*([\w./-]+)(?:\s+(?:-C\s+\S+\s+)?(\w+))?/;
const readers = new Set(["cat", "head", "tail", "sed", "nl", "less", "awk", "jq", "wc", "diff"]);
const searchers = new Set(["grep", "rg", "find", "ls", "fd", "tree", "ag"]);
/** `git status` and `git log` ask for the present state: they read nothing again. */
const gitReaders = new Set(["show", "diff", "blame"]);
const pathInCommand = /(?<=[\s'"=])[\w@.~/-]*\w\.[A-Za-z]\w{0,4}(?=[\s'":;|&)]|$)/;

/** Returns all calls of messages in order, each with its result. Pure. */
export function callsOf(messages: readonly BaseMessage[]): readonly AgentCall[] {
  const results = new Map(
    messages
      .filter((message) => ToolMessage.isInstance(message))
      .map((one) => [one.tool_call_id, messageText(one)]),
  );
  return messages.flatMap((message, at) =>
    toolCalls(message).map(({ id = "", name, args }) => ({
      kind: kindOf(name, args),
      name,
      path: pathOf(name, args),
      args,
      result: results.get(id) ?? "",
      said: messageText(message),
      at,
    })),
  );
}

/** Returns calls with whole paths: a command may name a file by the end of a path that other calls name whole. Pure. */
export function withWholePaths(calls: readonly AgentCall[]): readonly AgentCall[] {
  const whole = [...new Set(calls.flatMap(({ path }) => (path?.startsWith("/") === true ? [path] : [])))];
  return calls.map((call) => {
    const { path } = call;
    if (path === undefined || path.startsWith("/")) return call;
    const end = `/${path.replace(/^\.\//, "")}`;
    return { ...call, path: whole.find((one) => one.endsWith(end)) ?? path };
  });
}

type Args = Readonly<Record<string, unknown>>;

function commandOf(args: Args): string {
  const command = args["command"] ?? args["cmd"];
  return typeof command === "string" ? command : "";
}

function kindOf(name: string, args: Args): CallKind {
  if (shells.test(name)) return kindOfCommand(commandOf(args));
  return kinds.find(([, pattern]) => pattern.test(name))?.[0] ?? "other";
}

function kindOfCommand(command: string): CallKind {
  const [, first = "", second = ""] = program.exec(command) ?? [];
  // `sed -i` writes, and so does a redirection.
  if (/\bsed\s+-i|[^2&>]>\s*[\w/.]/.test(command)) return "other";
  if (readers.has(first) || (first === "git" && gitReaders.has(second))) return "read";
  return searchers.has(first) ? "search" : "other";
}

function pathOf(name: string, args: Args): string | undefined {
  const given = args["file_path"] ?? args["path"] ?? args["notebook_path"];
  if (typeof given === "string") return given;
  return shells.test(name) ? pathInCommand.exec(commandOf(args))?.[0] : undefined;
}

/** Characters from which a line says something of its own. */
const leastCharacters = 20;

/** Returns the different lines of a text that are long enough to be its own, without the numbers that a tool puts before them. */
export function ownLines(text: string): ReadonlySet<string> {
  const lines = text.split("\n").map((line) => line.replace(/^\s*\d+(?:→|\t|:\s?)/, "").trim());
  return new Set(lines.filter(({ length }) => length >= leastCharacters));
}

/** Returns the tokens of lines, of four characters. */
export function tokensOf(lines: Iterable<string>): number {
  let characters = 0;
  for (const line of lines) characters += line.length + 1;
  return characters / 4;
}
