import type { RunnableConfig } from "@langchain/core/runnables";
import { Command, interrupt, Send, START, StateGraph, StateSchema } from "@langchain/langgraph";
import type { Files } from "@palimpsest/vfs";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { contentsAt, contentsOf, filesValue, notebook, written } from "../testing/notebook.js";
import type { Contents } from "../testing/notebook.js";
import { testedSavers } from "../testing/savers.js";
import type { VfsSaver } from "./vfs-saver.js";

const config = (threadId: string) => ({ configurable: { thread_id: threadId } });

/** A step of a branch: what to write, and from which of the earlier checkpoints to go on. */
const step = fc.record({
  contents: fc.dictionary(fc.constantFrom("/a.md", "/b.md", "/d/c.md"), fc.string({ maxLength: 20 }), {
    maxKeys: 2,
  }),
  from: fc.option(fc.nat(), { nil: undefined, freq: 3 }),
  by: fc.constantFrom("invoke", "updateState"),
});

/** Returns what each checkpoint of the thread holds. */
async function history(saver: VfsSaver, threadId: string): Promise<Map<string, Contents>> {
  const found = new Map<string, Contents>();
  for await (const { config: at, values } of notebook(saver).getStateHistory(config(threadId))) {
    found.set(at.configurable?.["checkpoint_id"], await contentsOf(saver, values.files ?? {}));
  }
  return found;
}

describe.each(testedSavers)("the workspace on $name", ({ create }) => {
  it("has at every checkpoint of every branch the contents of that time", async () => {
    const saver = await create();
    const graph = notebook(saver);
    let threads = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 8 }), async (steps) => {
        const threadId = `t${threads++}`;
        const expected: { readonly at: RunnableConfig; readonly contents: Contents }[] = [];
        for (const { contents, from, by } of steps) {
          const base =
            expected.length > 0 && from !== undefined ? expected[from % expected.length] : expected.at(-1);
          const start = base?.at ?? config(threadId);
          const files = base ? ((await graph.getState(start)).values.files as Files) : {};
          if (by === "invoke") await graph.invoke({ todo: contents }, start);
          else await graph.updateState(start, { files: await written(saver, files, contents) }, "work");
          const { config: at } = await graph.getState(config(threadId));
          expected.push({ at, contents: { ...base?.contents, ...contents } });
        }
        const found = await history(saver, threadId);
        for (const { at, contents } of expected) {
          expect(found.get(at.configurable?.["checkpoint_id"])).toEqual(contents);
        }
      }),
      { numRuns: 5 },
    );
    await saver.close();
  });

  it.each(["sync", "async", "exit"] as const)(
    "has the contents that were written last, durability %s",
    async (durability) => {
      const saver = await create();
      const options = { ...config("t"), durability };
      await notebook(saver).invoke({ todo: { "/f": "one" } }, options);
      await notebook(saver).invoke({ todo: { "/f": "two", "/g": "new" } }, options);
      expect(await contentsAt(saver, config("t"))).toEqual({ "/f": "two", "/g": "new" });
      const all = [...(await history(saver, "t")).values()];
      expect(all).toContainEqual({ "/f": "one" });
      await saver.close();
    },
  );

  it("has what a node wrote after the node has finished, not while it is interrupted", async () => {
    const saver = await create();
    const graph = new StateGraph(new StateSchema({ files: filesValue }))
      .addNode("first", async ({ files }) => ({ files: await written(saver, files, { "/first": "done" }) }))
      .addNode("ask", async ({ files }) => {
        const change = await written(saver, files, { "/draft": "half" });
        const answer = interrupt<string, string>("go on?");
        return { files: { ...change, ...(await written(saver, files, { "/answer": answer })) } };
      })
      .addEdge(START, "first")
      .addEdge("first", "ask")
      .compile({ checkpointer: saver });
    await graph.invoke({}, config("t"));
    expect(await contentsAt(saver, config("t"))).toEqual({ "/first": "done" });
    const waiting = (await graph.getState(config("t"))).config;
    await graph.invoke(new Command({ resume: "yes" }), config("t"));
    expect(await contentsAt(saver, config("t"))).toEqual({
      "/first": "done",
      "/draft": "half",
      "/answer": "yes",
    });
    expect(await contentsAt(saver, waiting)).toEqual({ "/first": "done" });
    await saver.close();
  });

  it("is shared by subgraphs and Sends, and keeps both of two parallel writes", async () => {
    const saver = await create();
    const State = new StateSchema({ files: filesValue, name: z.string().default("") });
    const inner = new StateGraph(State)
      .addNode("deep", async ({ files }) => ({ files: await written(saver, files, { "/deep": "inner" }) }))
      .addEdge(START, "deep")
      .compile();
    const graph = new StateGraph(State)
      .addNode("fan", () => ({}))
      .addNode("part", async ({ files, name }: { files: Files; name: string }) => ({
        files: await written(saver, files, { [`/${name}`]: name, "/same": `by ${name}` }),
      }))
      .addNode("inner", inner)
      .addEdge(START, "fan")
      .addConditionalEdges(
        "fan",
        ({ files }) => ["a", "b"].map((name) => new Send("part", { files, name })),
        ["part"],
      )
      .addEdge("part", "inner")
      .compile({ checkpointer: saver });
    await graph.invoke({}, config("t"));
    const contents = await contentsAt(saver, config("t"));
    expect(contents).toMatchObject({ "/a": "a", "/b": "b", "/deep": "inner" });
    const versions = Object.entries(contents).filter(([path]) => path.startsWith("/same"));
    expect(versions.map(([, content]) => content).sort()).toEqual(["by a", "by b"]);
    await saver.close();
  });

  it("has one archive for all branches", async () => {
    const saver = await create();
    await notebook(saver).invoke({ todo: { "/f": "one" } }, config("t"));
    const start = (await notebook(saver).getState(config("t"))).config;
    const { archive } = saver.files.thread("t");
    for (const branch of ["left", "right"]) {
      await notebook(saver).invoke({ todo: { "/f": branch } }, start);
      await archive.append(`/context/history/${branch}.md`, `folded on the ${branch}`);
    }
    const tips = [...(await history(saver, "t"))].filter(([, files]) =>
      ["left", "right"].includes(files["/f"] ?? ""),
    );
    expect(tips).toHaveLength(2);
    for (const [id] of tips) {
      const at = { configurable: { ...config("t").configurable, checkpoint_id: id } };
      const { values } = await notebook(saver).getState(at);
      const { backend } = saver.files.thread("t", values.files);
      for (const branch of ["left", "right"])
        expect((await backend.read(`/context/history/${branch}.md`)).content).toBe(`folded on the ${branch}`);
    }
    await saver.close();
  });
});
