import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import type { Agent } from "../agents/agent.js";
import type { Finding, Scenario } from "../scenario.js";
import { longWork, longWorld, rows, textTool } from "../world/made-work.js";
import { call, script } from "../world/script.js";
import type { World } from "../world/world.js";
import { asking, inDeepAgents } from "./parts.js";

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

const users = Array.from({ length: 8 }, (_, index) => `user${index}`);
const pagesOf = (user: string) => Array.from({ length: 14 }, (_, page) => rows(`${user}page${page}`, 120));

/** Each thread reads the mail of its user, page by page. */
function eightMailboxes(): World {
  const next = new Map(users.map((user) => [user, 0]));
  const read = (page: number) => (pagesOf(users[page % 8] ?? "")[Math.floor(page / 8)] ?? []).join("\n");
  return {
    tools: [textTool("mail", read)],
    window: 30_000,
    originals: [],
    reply(prompt) {
      const user = /user\d/.exec(prompt.at(-1)?.text ?? "")?.[0] ?? "";
      const page = next.get(user) ?? 14;
      next.set(user, page + 1);
      return page >= 14 ? new AIMessage("done") : call("mail", { page: page * 8 + users.indexOf(user) });
    },
  };
}

/** Returns how many users miss a part of their own mail, and how many can read another's. */
async function mixedUp(agent: Agent): Promise<Finding> {
  let lost = 0;
  let foreign = 0;
  for (const user of users) {
    const own = [...(await agent.files(user)).values()].join("\n");
    const { text: prompt = "" } = agent.calls.findLast(({ text }) => text.includes(`${user}page13`)) ?? {};
    const reach = `${own}\n${prompt}`;
    if (
      pagesOf(user)
        .flat()
        .some((row) => !reach.includes(row))
    )
      lost++;
    if (users.some((other) => other !== user && own.includes(`${other}page`))) foreign++;
  }
  const text = `${lost} of 8 threads miss a part, ${foreign} can read another's`;
  return { text, sound: lost + foreign === 0 };
}

/** What is stored of a history that leaves the context, and for whom. */
export const storedHistory: readonly Scenario[] = [
  {
    // Nothing configured: where does the summarized history go?
    title: "Summarized history with the default storage",
    ...inDeepAgents,
    options: { defaultStorage: true },
    world: () => longWorld({ steps: 15, size: 150 }, { window: 30_000 }),
    play: asking("Read the book."),
  },
  {
    // The context is to be cut, and what is cut cannot be stored.
    title: "A compaction while every write is refused",
    ...inDeepAgents,
    world: () => longWorld({ steps: 12, size: 150 }, { window: 30_000, storage: "refuses" }),
    play: asking("Read the book."),
  },
  {
    // All that is in a message and not in its text.
    title: "Reasoning, images, call ids and errors after a summary",
    ...inDeepAgents,
    world() {
      const { originals, ...world } = longWorld({ steps: 14, size: 250 }, { window: 30_000 });
      const parts = [reasoning, "sig-EqoBCkgIA", picture, "toolu_first_91", "toolu_other_92"];
      return { ...world, originals: [...originals, ...parts, "deadlock 40P01"] };
    },
    play: (agent) => agent.run(opening),
  },
  {
    // What the agent wrote and edited away again is only in the arguments of its calls.
    title: "Arguments of write_file and edit_file after a summary",
    ...inDeepAgents,
    world() {
      const { steps, originals, ...work } = longWork({ steps: 40 });
      const [draft, second, final] = ["draft", "second", "final"].map((tag) => rows(tag, 60).join("\n"));
      const file = { path: "/notes.md", file_path: "/notes.md" };
      const writes = [
        call("write_file", { ...file, content: draft }),
        call("edit_file", { ...file, old_string: draft, new_string: second }),
        call("edit_file", { ...file, old_string: second, new_string: final }),
      ];
      const written = [draft, second, final].flatMap((text = "") => text.split("\n"));
      return {
        ...work,
        reply: script(...writes, ...steps),
        originals: [...originals, ...written],
        window: 30_000,
      };
    },
    play: asking("Write notes, rewrite them twice, then read the book."),
  },
  {
    title: "Eight threads at once on one compiled agent and one storage",
    ...inDeepAgents,
    world: eightMailboxes,
    async play(agent) {
      const read = (user: string) => agent.run([new HumanMessage(`Read the mail of ${user}.`)], user);
      await Promise.all(users.map(read));
      return mixedUp(agent);
    },
  },
];
