import { HumanMessage, type BaseMessage } from "@langchain/core/messages";
import { MeteredWriter, type SummaryMeter } from "../cost/summary-meter.js";
import { charsOverFour } from "../data/text-of.js";
import type { Policy } from "../policies/policy.js";
import type { Shorten, Start, TableHost, TableSystem } from "./table-system.js";

/**
 * Returns a system of the table at one of its settings, as a policy whose summary calls are metered. Hosts keep a system
 * prompt outside of the thread: it is in each prompt, no system reads it, and the window is smaller by its tokens.
 */
export function policyOf({ name, reads }: TableSystem, start: Start, meter: SummaryMeter): Policy {
  return {
    name,
    start({ budget }) {
      let system: readonly BaseMessage[] = [];
      let known: readonly BaseMessage[] = [];
      let shorten: Shorten | undefined;
      return {
        async context(arrived) {
          if (shorten === undefined) system = arrived.filter(isSystem);
          shorten ??= start(hostOf(Math.floor(budget - charsOverFour(system)), meter));
          const added = arrived.filter((message) => !system.includes(message));
          const messages = [...known, ...added];
          const prompt = [...(await shorten([...messages], added))];
          known = reads === "thread" ? messages : prompt;
          return [...system, ...prompt];
        },
      };
    },
  };
}

function isSystem(message: BaseMessage): boolean {
  return message.getType() === "system";
}

/** Returns a setting that plays a policy of the other suites. */
export function playing(policyIn: (host: TableHost) => Policy): Start {
  return (host) => {
    const run = policyIn(host).start({ budget: host.window, seed: 1 });
    let chunk = 0;
    return (_, added) => run.context(added, { chunk: chunk++, needed: [] });
  };
}

function hostOf(window: number, meter: SummaryMeter): TableHost {
  const model = new MeteredWriter(window, meter);
  return {
    window,
    model,
    count: charsOverFour,
    async summarize(texts) {
      const { generations } = await model.answer(texts.map((text) => new HumanMessage(text)));
      return generations[0]?.text ?? "";
    },
  };
}
