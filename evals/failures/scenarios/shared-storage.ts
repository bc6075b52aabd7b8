import { AIMessage, HumanMessage } from "@langchain/core/messages";
import { deepAgent } from "../agents/deep-agent.js";
import type { Scenario } from "../scenario.js";
import { rows } from "../world/rows.js";
import { call } from "../world/script.js";
import { textTool } from "../world/text-tool.js";

const threads = Array.from({ length: 8 }, (_, index) => `user${index}`);
const pagesOf = (user: string) => Array.from({ length: 14 }, (_, page) => rows(`${user}page${page}`, 120));

/** One compiled agent, one storage, eight users at once. */
export const sharedStorage: Scenario = {
  title: "Eight threads at once on one compiled agent and one storage",
  peer: "deepagents",
  buildPeer: deepAgent,
  world() {
    const next = new Map(threads.map((user) => [user, 0]));
    const read = (page: number) => (pagesOf(threads[page % 8] ?? "")[Math.floor(page / 8)] ?? []).join("\n");
    return {
      tools: [textTool("mail", read)],
      window: 30_000,
      originals: [],
      reply(prompt) {
        const user = /user\d/.exec(prompt.at(-1)?.text ?? "")?.[0] ?? "";
        const page = next.get(user) ?? 14;
        next.set(user, page + 1);
        return page >= 14 ? new AIMessage("done") : call("mail", { page: page * 8 + threads.indexOf(user) });
      },
    };
  },
  async play(agent) {
    await Promise.all(
      threads.map((user) => agent.run([new HumanMessage(`Read the mail of ${user}.`)], user)),
    );
  },
  async measure(agent) {
    let lost = 0;
    let foreign = 0;
    for (const user of threads) {
      const own = [...(await agent.files(user)).values()].join("\n");
      const { text: prompt = "" } = agent.calls.findLast(({ text }) => text.includes(`${user}page13`)) ?? {};
      const reach = `${own}\n${prompt}`;
      lost += pagesOf(user)
        .flat()
        .some((row) => !reach.includes(row))
        ? 1
        : 0;
      foreign += threads.some((other) => other !== user && own.includes(`${other}page`)) ? 1 : 0;
    }
    const text = `${lost} of 8 threads miss a part, ${foreign} can read another's`;
    return { text, sound: lost + foreign === 0 };
  },
};
