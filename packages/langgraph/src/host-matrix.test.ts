import { deepEqual, doesNotMatch, match, notDeepEqual, notEqual, ok, rejects } from "node:assert/strict";
import { AIMessage, HumanMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import { ContextError, copyMessage, estimateTokens, foldOf, pin, toolCalls } from "@palimpsest/context";
import { messageImage } from "@palimpsest/context/testing";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { describe, expect, it } from "vitest";
import type * as root from "./index.js";
import {
  compactionNode,
  foldNode,
  maskToolResultsNode,
  offloadLargeToolResultNode,
  offloadTools,
  overflowErrorHandler,
  predictiveContextNode,
  summarizeNode,
  summarizeWithFilesystemPreservationNode,
  truncateToolInputsNode,
  type ContextEvent,
  type ContextOptions,
  type FoldOptions,
  type GraphNode,
  type PredictiveContextOptions,
} from "./index.js";
import { contextIn } from "./threads/index.js";
import type * as middlewares from "./middleware/index.js";
import { contextMiddleware, foldMiddleware, predictiveContextMiddleware } from "./middleware/index.js";
import { filler } from "./testing/history.js";
import {
  agentSession,
  handlerNode,
  nodeSession,
  toolsSession,
  type HostSession,
} from "./testing/host-session.js";
import { FailingDriver } from "./testing/storage.js";

/** Every function of the package that changes a context. A new one that is missing in `hosts` is a type error. */
type Exported = keyof typeof root | keyof typeof middlewares;
type HostName = Exclude<
  Extract<Exported, `${string}Node` | `${string}Middleware` | "offloadTools" | "overflowErrorHandler">,
  // They change no message.
  "consolidateNode" | "memoryMiddleware"
>;

/** Every option of a host. A new one that is neither a rule nor in `others` is a type error. */
type Option = keyof ContextOptions | keyof FoldOptions | keyof PredictiveContextOptions;

const contextWindow = 4_000;

interface Opened {
  readonly files: VirtualFilesystem;
  readonly onEvent: (event: ContextEvent) => void;
  readonly extra: Readonly<Record<string, unknown>>;
}

/** One way to use a host: what it changes, and how a session of it begins. */
interface Form {
  readonly open: (opened: Opened) => HostSession;
  /** Rules that ask for something that this form never does, and why. */
  readonly without?: Partial<Record<Rule, string>>;
}

const noTrigger = "it has no trigger: it changes only what arrives";
const noSummary = "it makes no summary, from which messages could be kept";
const ofOneRung = { markers: noSummary, importance: noSummary, "limits.verbatim": noSummary };
const ofArrivals = { budgetLevel: noTrigger, ...ofOneRung };
const forced = { budgetLevel: "the provider triggers it" };

function given({ files, onEvent, extra }: Opened) {
  return {
    files,
    onEvent,
    contextWindow,
    ...extra,
    limits: { offload: 800, input: 100, ...(extra["limits"] as object) },
  } as ContextOptions;
}

function budgeted({ files, onEvent, extra }: Opened) {
  return { files, onEvent, contextWindow, ...extra } as PredictiveContextOptions;
}

/** Returns the forms of a node: the thread rewritten, a view in a channel beside it, and the thread kept. */
function formsOf(make: (opened: Opened) => GraphNode, without: Form["without"] = {}): Record<string, Form> {
  const view = { outputKey: "context" };
  const viewIn = (state: object) => contextIn(state, view);
  return {
    "": { open: (opened) => nodeSession(make(opened), opened.files, contextIn), without },
    " as a view": {
      open: (opened) =>
        nodeSession(make({ ...opened, extra: { ...view, ...opened.extra } }), opened.files, viewIn),
      without,
    },
    [keeping]: {
      open: (opened) => nodeSession(make(withKept(opened)), opened.files, contextIn),
      without,
    },
  };
}

const keeping = " that keeps the thread";
const withKept = (opened: Opened): Opened => ({ ...opened, extra: { keepThread: true, ...opened.extra } });

/** Returns the forms of a middleware: the thread rewritten, and kept. */
function agentsWith(make: (opened: Opened) => readonly unknown[], name = ""): Record<string, Form> {
  const open = (opened: Opened) => agentSession(make(opened) as never, opened.files, contextWindow);
  return { [name]: { open }, [`${name}${keeping}`]: { open: (opened) => open(withKept(opened)) } };
}
const pace = { policy: "pace" as const };

/** The hosts. `summarizeNode` is a short name of the same function. */
const hosts: Record<HostName, Record<string, Form>> = {
  compactionNode: formsOf((opened) => compactionNode(given(opened))),
  maskToolResultsNode: formsOf((opened) => maskToolResultsNode(given(opened)), ofOneRung),
  offloadLargeToolResultNode: formsOf((opened) => offloadLargeToolResultNode(given(opened)), ofArrivals),
  truncateToolInputsNode: formsOf((opened) => truncateToolInputsNode(given(opened)), ofOneRung),
  summarizeWithFilesystemPreservationNode: formsOf((opened) =>
    summarizeWithFilesystemPreservationNode(given(opened)),
  ),
  summarizeNode: formsOf((opened) => summarizeNode(given(opened))),
  foldNode: formsOf((opened) => foldNode(given(opened))),
  predictiveContextNode: {
    ...formsOf((opened) => predictiveContextNode(budgeted(opened))),
    ...Object.fromEntries(
      Object.entries(formsOf((opened) => predictiveContextNode({ ...budgeted(opened), ...pace }))).map(
        ([name, form]) => [` with pace${name}`, form],
      ),
    ),
  },
  overflowErrorHandler: formsOf((opened) => handlerNode(overflowErrorHandler(given(opened))), forced),
  offloadTools: {
    "": {
      open: (opened) => toolsSession((tools) => offloadTools(tools as never, given(opened)), opened.files),
      without: ofArrivals,
    },
  },
  contextMiddleware: agentsWith((opened) => [
    contextMiddleware({ ...given(opened), summaryModel: "none", fileTools: [] }),
  ]),
  foldMiddleware: agentsWith((opened) => {
    const options = { ...given(opened), summaryModel: "none" as const };
    return [foldMiddleware(options), contextMiddleware({ ...options, fileTools: [] })];
  }),
  predictiveContextMiddleware: {
    ...agentsWith((opened) => [predictiveContextMiddleware({ ...budgeted(opened), tools: [] })]),
    ...agentsWith(
      (opened) => [predictiveContextMiddleware({ ...budgeted(opened), ...pace, tools: [] })],
      " with pace",
    ),
  },
};

const said = (id: string, content: string) => new HumanMessage({ id, content });
const call = (id: string, name: string, args: object = {}) =>
  new AIMessage({
    id,
    content: "",
    tool_calls: [{ id: `call-${id}`, name, args: args as Record<string, unknown> }],
  });
const found = (id: string, name: string, content: string) =>
  new ToolMessage({ id: `of-${id}`, tool_call_id: `call-${id}`, name, content });

/** Steps of a job, each with a result of `tokens`. */
function steps(from: number, count: number, tokens = 240): readonly BaseMessage[] {
  return Array.from({ length: count }, (_, index) => from + index).flatMap((step) => {
    const args = { step, note: filler(60, step) };
    return [call(`step-${step}`, "look", args), found(`step-${step}`, "look", filler(tokens, step))];
  });
}

const doubt = "Hmm, perhaps I was wrong: but wait, I'm not sure that the vault is empty.";
const skill = `RULE-9: answer in verse.\n${filler(200, 90)}`;
const hugeSkill = `RULE-7: never push to main.\n${filler(850, 91)}`;

/** A thread over every trigger: two user messages, a result to keep, a line of doubt, a result that is offloaded. */
const past: readonly BaseMessage[] = [
  said("task", "TASK-1: find every value."),
  ...steps(0, 3),
  call("skill", "load_skill", { path: "/AGENTS.md" }),
  found("skill", "load_skill", skill),
  ...steps(3, 3),
  copyMessage(call("doubt", "look"), { content: doubt }),
  found("doubt", "look", filler(120, 92)),
  new AIMessage({ id: "told", content: "Half of it is done." }),
  said("more", "WORD-2: go on with the rest."),
  ...steps(6, 2),
  call("large", "look", {}),
  found("large", "look", `OLD-3 stands here.\n${filler(1_100, 93)}`),
  ...steps(8, 3),
  new AIMessage({ id: "done", content: "All of it is done." }),
  said("now", "NOW-4: what is the sum?"),
];
const later: readonly BaseMessage[] = [
  ...steps(20, 8),
  new AIMessage({ id: "summed", content: "The sum is 7." }),
  said("last", "LAST-5: thank you."),
];
/** The newest result is larger than `limits.offload`. */
const arrival: readonly BaseMessage[] = [
  call("huge", "load_skill", { path: "/AGENTS.md" }),
  found("huge", "load_skill", hugeSkill),
];

interface Run {
  readonly session: HostSession;
  readonly events: readonly ContextEvent[];
  readonly driver: FailingDriver;
}

/** Returns a thread in a host; undefined where the host refuses the options when it is built. */
function begin(form: Form, extra: Readonly<Record<string, unknown>> = {}): Run | undefined {
  const driver = new FailingDriver();
  const events: ContextEvent[] = [];
  const onEvent = (event: ContextEvent) => void events.push(event);
  try {
    const session = form.open({ files: new VirtualFilesystem({ driver }), onEvent, extra });
    return { session, events, driver };
  } catch (error) {
    const isRefusal = ContextError.isInstance(error) && error.code === "bad-option";
    // Another refusal would pass for an answer to every rule.
    if (isRefusal && Object.keys(extra).some((name) => error.message.startsWith(name))) return undefined;
    throw error;
  }
}

/** Requires that messages stand in a prompt word for word. */
function expectWhole(prompt: readonly BaseMessage[], originals: readonly BaseMessage[]): void {
  const content = (list: readonly BaseMessage[]) =>
    originals.map(({ id }) => list.find((message) => message.id === id)?.text ?? `${id} is missing`);
  deepEqual(content(prompt), content(originals));
}

/** The options keep an old result and one that has just arrived. */
async function keepsSkills(run: Run, mark: (message: BaseMessage) => BaseMessage = (one) => one) {
  const { session } = run;
  const first = await session.send(past.map(mark));
  expectWhole(
    first,
    past.filter(({ id }) => id === "of-skill"),
  );
  const second = await session.send(arrival.map(mark));
  expectWhole(second, [past.find(({ id }) => id === "of-skill") as BaseMessage, ...arrival.slice(1)]);
}

const isSkill = (message: BaseMessage) =>
  (ToolMessage.isInstance(message) && message.name === "load_skill") ||
  toolCalls(message).some(({ name }) => name === "load_skill");

/** A thread whose host changes what `change` says, and which then grows over every trigger again. */
async function afterChange(run: Run, change: (list: readonly BaseMessage[]) => readonly BaseMessage[]) {
  const { session } = run;
  const known = new Set(past.map(({ id }) => id));
  const before = await session.send(past);
  await session.change(change(await session.messages()));
  const soon = await session.send([call("next", "look"), found("next", "look", "Nothing new.")]);
  const late = await session.send([
    new AIMessage({ id: "so", content: "So it is." }),
    said("then", "And then?"),
    ...later,
  ]);
  // What a summary has quoted before the change stays quoted.
  const quoted = textOf(before.filter(({ id }) => !known.has(id)));
  return { prompts: [...soon, ...late], thread: await session.thread(), quoted };
}

/** Returns the old words of messages that no summary had quoted. */
function goneWords(ids: readonly string[], quoted: string): RegExp {
  const words = ids.map((id) => oldWords[id] ?? "").filter((word) => !quoted.includes(word));
  return new RegExp(words.join("|") || "nothing was quoted");
}

const textOf = (messages: readonly BaseMessage[]) => messages.map(({ text }) => text).join("\n");
/** The replies of a scripted model are no part of what a test sends. */
const idsOf = (messages: readonly BaseMessage[]) =>
  messages.map(({ id }) => id ?? "?").filter((id) => !id.startsWith("reply-"));

/** Returns the newest user message but the last that the host still sees, and the large result if it sees it. */
function changeable(list: readonly BaseMessage[]): readonly string[] {
  return ["more", "of-large"].filter((id) => list.some((message) => message.id === id));
}

interface RuleOf {
  /** The options that the rule is about. */
  readonly options: readonly Option[];
  readonly check: (form: Form) => Promise<void>;
}

/** Returns a rule about options: they are refused when the host is built, or honoured. */
function option(extra: Partial<Record<Option, unknown>>, check: (run: Run) => Promise<void>): RuleOf {
  return {
    options: Object.keys(extra) as Option[],
    async check(form) {
      const run = begin(form, extra);
      if (run !== undefined) await check(run);
    },
  };
}

/** Returns a rule about what happens to a thread. */
function event(check: (run: Run) => Promise<void>, options: readonly Option[] = []): RuleOf {
  return { options, check: (form) => check(begin(form) as Run) };
}

const failing = {
  crash: () => {
    throw new Error("the tokenizer crashed");
  },
  reject: async () => {
    throw new Error("the tokenizer is gone");
  },
};

async function survivesCounter({ session, events }: Run): Promise<void> {
  await session.send(past);
  await session.send(arrival);
  const expected = idsOf([...past, ...arrival]);
  deepEqual(idsOf(await session.thread()), expected);
  notDeepEqual(
    events.filter(({ type }) => type === "context.fail"),
    [],
  );
}

const rules = {
  excludeTools: option({ excludeTools: ["load_skill"] }, async ({ session }) => {
    await session.send(past.slice(0, 3));
    expectWhole(await session.send(arrival), arrival.slice(1));
  }),
  pin: option({ pin: isSkill }, keepsSkills),
  "pin(message)": event((run) => keepsSkills(run, (message) => (isSkill(message) ? pin(message) : message))),
  pinTools: option({ pinTools: ["load_skill"] }, keepsSkills),
  pinFiles: option({ pinFiles: ["/AGENTS.md"], limits: { pinnedFiles: 2_000 } }, keepsSkills),
  markers: option({ markers: {} }, async ({ session }) => {
    expectWhole(
      await session.send(past),
      past.filter(({ id }) => id === "doubt"),
    );
  }),
  importance: option({ importance: scoreOf("of-skill"), limits: { verbatim: 600 } }, async ({ session }) => {
    expectWhole(
      await session.send(past),
      past.filter(({ id }) => id === "of-skill"),
    );
  }),
  "limits.verbatim": option(
    { importance: scoreOf("of-skill"), limits: { verbatim: 20 } },
    async ({ session }) => {
      const prompt = await session.send(past);
      notEqual(prompt.find(({ id }) => id === "of-skill")?.text, skill);
    },
  ),
  budgetLevel: option({ budgetLevel: () => "exhausted" }, async ({ session, events }) => {
    // Over the lowered trigger (65 %), and under the one without it (85 %).
    await session.send([said("task", "TASK-1"), ...steps(0, 15, 110)]);
    notDeepEqual(
      events.filter(({ type }) => type === "context.fold"),
      [],
    );
  }),
  lane: option({ lane: { name: "scout", share: "none" } }, async ({ session, driver, events }) => {
    const sent = [past, arrival];
    for (const added of sent) await session.send(added);
    ok(events.some(({ type }) => type === "context.fold"));
    const files = new VirtualFilesystem({ driver });
    const stored: string[] = [];
    for await (const { path } of files.archive("t").list()) stored.push(path);
    ok(stored.length > 0);
    deepEqual(
      stored.filter((path) => !path.startsWith("/context/lanes/scout/")),
      [],
    );
    const { files: shown } = await files.thread("t", {}, { lane: "other" }).backend.glob("**", "/");
    deepEqual(shown, []);
    const own = await files.thread("t", {}, { lane: "scout" }).backend.glob("**", "/");
    deepEqual(own.files?.length, stored.length);
    deepEqual(images(await session.thread()), images(sent.flat()));
  }),
  "a counter that throws": option({ tokenCounter: failing.crash }, survivesCounter),
  "a counter that rejects": option({ tokenCounter: failing.reject }, survivesCounter),
  onError: option({ onError: "throw" }, async ({ session, driver }) => {
    driver.full = true;
    await rejects(session.send([...past, ...arrival]), /ENOSPC/);
  }),
  keepThread: option({ keepThread: true }, async ({ session }) => {
    const rest = [new AIMessage({ id: "so", content: "So it is." }), said("then", "And then?"), ...later];
    const sent = [past, arrival, rest];
    for (const added of sent) await session.send(added);
    deepEqual(images(await session.messages()), images(sent.flat()));
  }),
  "an edited message": event(async (run) => {
    let edited: readonly string[] = [];
    const { prompts, thread, quoted } = await afterChange(run, (list) => {
      edited = changeable(list);
      return list.map((message) => (edited.includes(message.id ?? "") ? reworded(message) : message));
    });
    deepEqual(
      thread.filter(({ id }) => edited.includes(id ?? "")).map(({ text }) => text),
      edited.map(() => "NEW-6"),
    );
    doesNotMatch(textOf([...prompts, ...thread]), goneWords(edited, quoted));
  }),
  "an inserted message": event(async (run) => {
    const { prompts, thread } = await afterChange(run, (list) =>
      list.flatMap((message) =>
        message.id === "now" ? [said("note", "NOTE-8: use metres."), message] : [message],
      ),
    );
    deepEqual(
      idsOf(thread).filter((id) => id === "note"),
      ["note"],
    );
    deepEqual(idsOf(thread).indexOf("note"), idsOf(thread).indexOf("now") - 1);
    match(textOf(prompts), /NOTE-8/);
  }),
  "a removed message": event(async (run) => {
    let gone: readonly string[] = [];
    const { prompts, thread, quoted } = await afterChange(run, (list) => {
      gone = changeable(list).slice(0, 1);
      return list.filter(({ id = "" }) => !gone.includes(id) && (gone[0] !== "of-large" || id !== "large"));
    });
    deepEqual(
      idsOf(thread).filter((id) => gone.includes(id)),
      [],
    );
    doesNotMatch(textOf([...prompts, ...thread]), goneWords(gone, quoted));
  }),
  "a resent history": event(async ({ session }) => {
    await session.send(past);
    const more = [new AIMessage({ id: "so", content: "So it is." }), said("then", "And then?")];
    await session.send([...past, ...more]);
    const thread = await session.thread();
    deepEqual(idsOf(thread), idsOf([...past, ...more]));
  }),
  "an archive outage": event(async ({ session, driver, events }) => {
    driver.full = true;
    await session.send(past);
    await session.send(arrival);
    const sent = [...past, ...arrival];
    deepEqual(images(await session.thread()), images(sent));
    driver.full = false;
    const rest = [new AIMessage({ id: "so", content: "So it is." }), said("then", "And then?"), ...later];
    await session.send(rest);
    await session.send([]);
    deepEqual(images(await session.thread()), images([...sent, ...rest]));
    ok(driver.refused === 0 || events.some(({ type }) => type === "context.fail"));
  }),
} as const satisfies Record<string, RuleOf>;

type Rule = keyof typeof rules;

/** The options of rules, and why every other option is none: a new option fails here. */
type OptionOfRule =
  | "excludeTools"
  | "keepThread"
  | "pin"
  | "pinTools"
  | "pinFiles"
  | "markers"
  | "importance"
  | "limits"
  | "budgetLevel"
  | "tokenCounter"
  | "lane"
  | "onError";
const strategy = "of one strategy";
const size = "a size or a limit";
const place = "where the host keeps things";
const summary = "how summaries are written";
const others: Record<Exclude<Option, OptionOfRule>, string> = {
  files: place,
  inputKey: place,
  outputKey: "a form of each node",
  onEvent: place,
  contextWindow: size,
  settings: size,
  trigger: size,
  keep: size,
  minMessages: size,
  model: summary,
  summaryModel: summary,
  summaryPrompt: summary,
  summaryConcurrency: summary,
  systemPrompt: size,
  tools: size,
  agentControlled: strategy,
  agentTrigger: strategy,
  prepareAt: strategy,
  planner: strategy,
  condense: strategy,
  microTokens: strategy,
  macroTokens: strategy,
  recentBlocks: strategy,
  blockTokens: strategy,
  deadEndSteps: strategy,
  minConfidence: strategy,
  regret: strategy,
  driftCalls: "what is told of the agent, in the shell of every host",
  every: strategy,
  budget: strategy,
  policy: strategy,
  targetFraction: strategy,
  from: strategy,
  wholeSteps: strategy,
  candidateTokens: strategy,
  cacheTokens: strategy,
  embeddings: strategy,
  encoderId: strategy,
  encoderTimeoutMs: strategy,
  encoderBatch: strategy,
  encodedCharacters: strategy,
  maxSteps: strategy,
  temperature: strategy,
  pressureGain: strategy,
  thresholds: strategy,
  formCharacters: strategy,
  candidateSteps: strategy,
};

const oldWords: Readonly<Record<string, string>> = { more: "WORD-2", "of-large": "OLD-3" };

function reworded(message: BaseMessage): BaseMessage {
  const { id = "" } = message;
  if (!ToolMessage.isInstance(message)) return said(id, "NEW-6");
  return new ToolMessage({ id, tool_call_id: message.tool_call_id, name: "look", content: "NEW-6" });
}

function scoreOf(id: string) {
  return (messages: readonly BaseMessage[]) => messages.map((message) => (message.id === id ? 1 : 0));
}

function images(messages: readonly BaseMessage[]): readonly string[] {
  return messages.filter(({ id = "" }) => !id.startsWith("reply-")).map(messageImage);
}

/** Cells that are broken today. A test requires each of them to fail: a mended one has to leave the list. */
const gaps: Partial<Record<`${HostName}${string}`, readonly Rule[]>> = {
  predictiveContextNode: ["a counter that rejects"],
  "predictiveContextNode as a view": ["a counter that rejects"],
  "predictiveContextNode that keeps the thread": ["a counter that rejects"],
  "predictiveContextNode with pace": ["a counter that rejects"],
  "predictiveContextNode with pace as a view": ["a counter that rejects"],
  "predictiveContextNode with pace that keeps the thread": ["a counter that rejects"],
  overflowErrorHandler: ["markers", "importance"],
  "overflowErrorHandler as a view": ["markers", "importance"],
  "overflowErrorHandler that keeps the thread": ["markers", "importance"],
  predictiveContextMiddleware: ["a counter that rejects"],
  "predictiveContextMiddleware that keeps the thread": ["a counter that rejects"],
  "predictiveContextMiddleware with pace": ["a counter that rejects"],
  "predictiveContextMiddleware with pace that keeps the thread": ["a counter that rejects"],
};

const cells = (Object.keys(hosts) as HostName[]).flatMap((name) =>
  Object.entries(hosts[name]).flatMap(([kind, form]) =>
    (Object.keys(rules) as Rule[])
      .filter((rule) => form.without?.[rule] === undefined)
      .map((rule) => ({ host: `${name}${kind}` as const, rule, form })),
  ),
);
const isGap = ({ host, rule }: (typeof cells)[number]) => gaps[host]?.includes(rule) === true;

describe("the same everywhere", () => {
  it.each(cells.filter((cell) => !isGap(cell)).map((cell) => [cell.host, cell.rule, cell.form] as const))(
    "%s honours %s, or refuses it when built",
    async (_, rule, form) => {
      await expect(rules[rule].check(form)).resolves.toBeUndefined();
    },
  );

  it.each(cells.filter(isGap).map((cell) => [cell.host, cell.rule, cell.form] as const))(
    "%s does not honour %s yet: it leaves the list of gaps once it does",
    async (_, rule, form) => {
      await expect(rules[rule].check(form)).rejects.toBeInstanceOf(Error);
    },
  );

  it("every host changes the context of these threads, so that a rule is not kept by doing nothing", async () => {
    const forms = Object.entries(hosts).flatMap(([name, kinds]) =>
      Object.entries(kinds).map(([kind, form]) => [`${name}${kind}`, form] as const),
    );
    for (const [name, form] of forms) {
      const run = begin(form) as Run;
      await run.session.send(past);
      await run.session.send(arrival);
      expect([name, run.events.some(({ type }) => type === "context.fold")]).toEqual([name, true]);
    }
  });

  it("every option is a rule of the matrix, or says why it is none", () => {
    const named = Object.values(rules).flatMap(({ options }) => options as readonly string[]);
    expect(named.filter((name) => Object.hasOwn(others, name))).toEqual([]);
    expect(estimateTokens(past)).toBeGreaterThan(contextWindow * 0.85);
    expect(past.filter((message) => foldOf(message) !== undefined)).toEqual([]);
  });
});
