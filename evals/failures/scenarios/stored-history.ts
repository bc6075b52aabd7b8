import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Scenario } from "../scenario.js";
import { longWork, longWorld } from "../world/long-work.js";
import { rows } from "../world/rows.js";
import { call, script } from "../world/script.js";
import { textTool } from "../world/text-tool.js";
import { inDeepAgents } from "./peers.js";
import { asking } from "./asking.js";

const reasoning = "I suspect the third index, for the first two are warm.";
const picture = `iVBORw0KGgo${"q".repeat(400)}`;
const opening = [
  new HumanMessage("Why is the query slow?"),
  new AIMessage({
    id: "plan",
    content: [
      { type: "thinking", thinking: reasoning, signature: "sig-EqoBCkgIA" },
      { type: "text", text: "Looking." },
    ],
    tool_calls: [
      { id: "toolu_first_91", name: "book", args: { page: 0 } },
      { id: "toolu_other_92", name: "book", args: { page: 1 } },
    ],
  }),
  new ToolMessage({
    tool_call_id: "toolu_first_91",
    status: "error",
    content: "deadlock 40P01",
    name: "book",
  }),
  new ToolMessage({
    tool_call_id: "toolu_other_92",
    name: "book",
    content: [{ type: "image_url", image_url: { url: `data:image/png;base64,${picture}` } }],
  }),
];

/** All that is in a message and not in its text. */
export const losslessHistory: Scenario = {
  title: "Reasoning, images, call ids and errors after a summary",
  ...inDeepAgents,
  world() {
    const { steps, originals, ...work } = longWork({ steps: 14, size: 250 });
    const parts = [reasoning, "sig-EqoBCkgIA", picture, "toolu_first_91", "toolu_other_92"];
    return {
      ...work,
      originals: [...originals, ...parts, "deadlock 40P01"],
      reply: script(...steps),
      window: 30_000,
    };
  },
  play: (agent) => agent.run([...opening]),
};

/** Nothing configured: where does the summarized history go? */
export const historyInDefaultStorage: Scenario = {
  title: "Summarized history with the default storage",
  ...inDeepAgents,
  options: { defaultStorage: true },
  world: () => longWorld({ steps: 15, size: 150 }, { window: 30_000 }),
  play: asking("Read the book."),
};

/** The context is to be cut, and what is cut cannot be stored. */
export const historyRefused: Scenario = {
  title: "A compaction while every write is refused",
  ...inDeepAgents,
  world: () => longWorld({ steps: 12, size: 150 }, { window: 30_000, storage: "refuses" }),
  play: asking("Read the book."),
};

const threads = Array.from({ length: 8 }, (_, index) => `user${index}`);
const pagesOf = (user: string) => Array.from({ length: 14 }, (_, page) => rows(`${user}page${page}`, 120));

/** One compiled agent, one storage, eight users at once. */
export const sharedStorage: Scenario = {
  title: "Eight threads at once on one compiled agent and one storage",
  ...inDeepAgents,
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

/** What the agent wrote and edited away again is only in the arguments of its calls. */
export const writtenArguments: Scenario = {
  title: "Arguments of write_file and edit_file after a summary",
  ...inDeepAgents,
  world() {
    const { steps, tools, originals, shown } = longWork({ steps: 40 });
    const [draft, second, final] = ["draft", "second", "final"].map((tag) => rows(tag, 60).join("\n"));
    const file = { path: "/notes.md", file_path: "/notes.md" };
    const writes = [
      call("write_file", { ...file, content: draft }),
      call("edit_file", { ...file, old_string: draft, new_string: second }),
      call("edit_file", { ...file, old_string: second, new_string: final }),
    ];
    return {
      tools,
      reply: script(...writes, ...steps),
      originals: [...originals, ...[draft, second, final].flatMap((text = "") => text.split("\n"))],
      shown,
      window: 30_000,
    };
  },
  play: asking("Write notes, rewrite them twice, then read the book."),
};
