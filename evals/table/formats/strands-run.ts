import {
  AfterInvocationEvent,
  AfterModelCallEvent,
  BeforeModelCallEvent,
  configureLogging,
  ContextWindowOverflowError,
  Model,
  type ConversationManager,
  type HookableEvent,
  type LocalAgent,
  type Message,
  type ModelStreamEvent,
  type StreamOptions,
} from "@strands-agents/sdk";
import { textOf } from "../../data/text-of.js";
import type { Shorten, TableHost } from "../table-system.js";
import { strandsFormat } from "./strands-messages.js";
import { Translator } from "./translator.js";

// It warns at every overflow that it cannot mend: the table counts those.
const silent = () => undefined;
configureLogging({ debug: silent, info: silent, warn: silent, error: silent });

/** Retries that make a prompt no smaller before a call is given up: the loop of its agent would go on forever. */
const mostVainTries = 3;

type Callback = (event: HookableEvent) => void | Promise<void>;

/** Returns a run of a conversation manager: its own hooks, called as the loop of its agent calls them. */
export function strandsRun(manager: ConversationManager, host: TableHost): Shorten {
  const translator = new Translator(strandsFormat);
  const model = new ScriptedModel(host, translator);
  const hooks = new Map<unknown, Callback[]>();
  const messages: Message[] = [];
  const addHook = (type: unknown, callback: Callback) => {
    hooks.set(type, [...(hooks.get(type) ?? []), callback]);
  };
  const agent = { messages, addHook } as unknown as LocalAgent;
  manager.initAgent(agent);
  const at = { agent, model, invocationState: {} };
  const fire = async <Event extends HookableEvent>(event: Event): Promise<Event> => {
    for (const callback of hooks.get(event.constructor) ?? []) await callback(event);
    return event;
  };
  const size = () => host.count(translator.toOurs(messages));
  return async (_, added) => {
    for (const turn of translator.toTheirs(added)) {
      const isNewTask = turn.role === "user" && turn.content.some(({ type }) => type === "textBlock");
      if (isNewTask && messages.length > 0) await fire(new AfterInvocationEvent(at));
      messages.push(turn);
    }
    await callModel({ size, window: host.window, fire, at });
    return translator.toOurs(messages);
  };
}

interface CallOptions {
  readonly size: () => number;
  readonly window: number;
  readonly at: Omit<ConstructorParameters<typeof BeforeModelCallEvent>[0], "projectedInputTokens">;
  readonly fire: <Event extends HookableEvent>(event: Event) => Promise<Event>;
}

/** Calls a model that refuses a prompt over its window, again and again while a hook asks for it. */
async function callModel({ size, window, fire, at }: CallOptions): Promise<void> {
  let smallest = Infinity;
  for (let attemptCount = 1, vain = 0; vain < mostVainTries; attemptCount++) {
    await fire(new BeforeModelCallEvent({ ...at, projectedInputTokens: size() }));
    if (size() <= window) return;
    vain = size() < smallest ? 0 : vain + 1;
    smallest = Math.min(smallest, size());
    const error = new ContextWindowOverflowError("The prompt is larger than the window");
    const { retry } = await fire(new AfterModelCallEvent({ ...at, attemptCount, error }));
    if (retry !== true) return;
  }
}

/** A model that only writes summaries, in the window of the host. */
class ScriptedModel extends Model {
  constructor(
    readonly host: TableHost,
    readonly translator: Translator<Message>,
  ) {
    super();
  }

  updateConfig(): void {}

  getConfig() {
    return { modelId: "scripted", contextWindowLimit: this.host.window };
  }

  async *stream(messages: Message[], { systemPrompt }: StreamOptions = {}): AsyncGenerator<ModelStreamEvent> {
    const asked = typeof systemPrompt === "string" ? [systemPrompt] : [];
    const texts = messages.flatMap((message) => this.translator.toOurs([message]).map(textOf));
    const text = await this.host.summarize([...asked, ...texts]);
    yield { type: "modelMessageStartEvent", role: "assistant" };
    yield { type: "modelContentBlockStartEvent" };
    yield { type: "modelContentBlockDeltaEvent", delta: { type: "textDelta", text } };
    yield { type: "modelContentBlockStopEvent" };
    yield { type: "modelMessageStopEvent", stopReason: "endTurn" };
  }
}
