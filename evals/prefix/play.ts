import { HumanMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import type { ContextEvent } from "@palimpsest/langgraph";
import { unfoldThread } from "@palimpsest/langgraph/threads";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { measureRun, type PrefixMeasure } from "./measure.js";
import { providers, type ProviderName } from "./providers.js";
import type { AgentParts, PrefixAgent, PrefixSystem } from "./systems.js";
import { Script, type Journey } from "./script.js";
import { toolsOf, type Work } from "./works.js";

export interface PrefixRun {
  readonly system: PrefixSystem;
  readonly provider: ProviderName;
  readonly work: Work;
  readonly window: number;
  readonly journey: Journey;
}

export interface PrefixRow extends PrefixMeasure, Pick<PrefixRun, "provider" | "window" | "journey"> {
  readonly system: string;
  readonly isOurs: boolean;
  readonly isLadder: boolean;
  readonly work: string;
  /** Why the run ended early, where it did. */
  readonly failure?: string;
}

const thread = { configurable: { thread_id: "prefix" }, recursionLimit: 20_000 };
/** Journeys that go back to a checkpoint of a run. The others write one at the end of a turn, which takes half the time. */
const goesBack: ReadonlySet<Journey> = new Set(["resume", "fork"]);

/** Plays a work through the real client of a provider, against a server that enforces its rules. */
export async function playPrefix(run: PrefixRun): Promise<PrefixRow> {
  const { system, provider, work, window, journey } = run;
  const script = new Script(work, journey);
  const server = await providers[provider]({
    ...(journey === "overflow" ? { contextWindow: 0.6 * window } : {}),
    reply: (toolNames, prompt) => script.reply(toolNames, prompt),
  });
  const changedAt = new Set<number>();
  let compactions = 0;
  const changed = () => changedAt.add(server.countCalls());
  const parts: AgentParts = {
    model: server.model(window, journey === "streaming"),
    tools: toolsOf(work),
    systemPrompt: work.systemPrompt,
    contextWindow: window,
    files: VirtualFilesystem.inMemory(),
    checkpointer: new MemorySaver(),
    onEvent(event: ContextEvent) {
      if (event.type === "context.compaction") compactions++;
      if (isChange(event)) changed();
    },
  };
  let failure: string | undefined;
  try {
    await travel({ run, parts, script, changed });
    if (!script.isDone) failure = "ended before the work was done";
  } catch (error) {
    failure = String(error).slice(0, 160);
  } finally {
    await server.close();
  }
  const [workTool = ""] = parts.tools.map(({ name }) => name);
  return {
    ...measureRun({
      calls: server.calls(),
      changedAt,
      compactions,
      provider,
      isWork: ({ toolNames }) => toolNames.includes(workTool),
    }),
    system: system.name,
    isOurs: system.isOurs,
    isLadder: system.isLadder === true,
    provider,
    work: work.name,
    window,
    journey,
    ...(failure === undefined ? {} : { failure }),
  };
}

/** What is shortened before it is first sent changes nothing that was sent. */
function isChange(event: ContextEvent): boolean {
  if (event.type === "context.unfold") return true;
  return (event.type === "context.compaction" || event.type === "context.fold") && event.reason !== "arrival";
}

interface Travel {
  readonly run: PrefixRun;
  readonly parts: AgentParts;
  readonly script: Script;
  /** Notes that the host changes the context. */
  readonly changed: () => void;
}

async function travel({ run, parts, script, changed }: Travel): Promise<void> {
  const { system, work, journey } = run;
  const config = { ...thread, durability: goesBack.has(journey) ? ("async" as const) : ("exit" as const) };
  let agent = system.build(parts);
  for (const { user } of work.turns) {
    try {
      await agent.invoke({ messages: [new HumanMessage(user)] }, config);
    } catch (error) {
      if (!script.hasFailed) throw error;
      agent = system.build(parts);
      await agent.invoke(null, config);
    }
    if (!script.isPaused) continue;
    await unfoldThread(agent, thread, {
      files: parts.files,
      contextWindow: run.window,
      force: true,
      onEvent: parts.onEvent,
    });
    await agent.invoke({ messages: [new HumanMessage("Go on.")] }, config);
  }
  if (journey !== "fork") return;
  const middle = await middleOf(agent);
  changed();
  script.repeatHalf();
  await agent.invoke(null, middle);
}

/** Returns the config of a checkpoint in the middle of a run, from which the model is called next. */
async function middleOf(agent: PrefixAgent): Promise<object> {
  const found: object[] = [];
  for await (const { config: at, next } of agent.getStateHistory(thread)) {
    if (next.some((name) => name === "model" || name === "model_request")) found.push(at);
  }
  const middle = found[Math.floor(found.length / 2)];
  if (middle === undefined) throw new Error("The run has no checkpoint before a call of the model");
  return { ...thread, ...middle };
}
