import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { AIMessage } from "@langchain/core/messages";
import { VfsSaver } from "@palimpsest/checkpoint";
import type { Lane } from "@palimpsest/context";
import { handOver, laneOf } from "@palimpsest/langgraph";
import { afterAll, describe, expect, it } from "vitest";
import { headline, laneHosts, needle, thread } from "./lane-hosts.js";
import type { RoleModel } from "./role-model.js";

const base = mkdtempSync(join(tmpdir(), "lanes-"));
afterAll(() => rmSync(base, { recursive: true, force: true }));

/** The tools whose results hold a text. */
function toolsThatFind({ results }: RoleModel, text: string): readonly string[] {
  return [...new Set(results.flatMap(([tool, result]) => (result.includes(text) ? [tool] : [])))].toSorted();
}

/** Lets the researcher work, starts the host again over the same file, and lets the others look for what it has archived. */
async function askedAfterRestart(
  create: (typeof laneHosts)[keyof typeof laneHosts],
  share?: Lane["share"],
): Promise<readonly RoleModel[]> {
  const path = join(mkdtempSync(join(base, "db-")), "agent.db");
  const lane = share === undefined ? undefined : { name: "researcher", share };
  const first = VfsSaver.fromPath(path);
  await create({ saver: first, lane }).say("research");
  await first.close();
  const second = VfsSaver.fromPath(path);
  const { say, caller, sibling } = create({ saver: second, lane });
  await say("ask");
  await say("ask a sibling");
  await second.close();
  return [...new Set([caller, sibling])];
}

const readers = ["grep", "read_file", "search_history", "unfold"];

describe.each(Object.entries(laneHosts))(
  "after a restart, the agents around a researcher in %s",
  (_, create) => {
    it("find what it has archived with every tool if it has no lane", async () => {
      for (const asker of await askedAfterRestart(create))
        expect(toolsThatFind(asker, needle)).toEqual(readers);
    });

    it("find nothing of it with any tool, at any path, if it shares none", async () => {
      for (const asker of await askedAfterRestart(create, "none")) {
        expect(asker.results.length).toBeGreaterThan(20);
        expect([toolsThatFind(asker, needle), toolsThatFind(asker, headline)]).toEqual([[], []]);
      }
    });

    it("find its stand-ins and no original if it shares its summary", async () => {
      for (const asker of await askedAfterRestart(create, "summary"))
        expect([toolsThatFind(asker, needle), toolsThatFind(asker, headline)]).toEqual([[], readers]);
    });

    it("find its originals if it shares all", async () => {
      for (const asker of await askedAfterRestart(create, "all")) {
        expect(toolsThatFind(asker, needle)).toEqual(readers);
        expect(toolsThatFind(asker, "of the agent researcher, thread t1, run")).toEqual(
          expect.arrayContaining(["search_history", "unfold"]),
        );
      }
    });
  },
);

it.each(["deepAgents", "nestedAgents"] as const)(
  "the result of a researcher in %s says where its folds are, in metadata alone",
  async (name) => {
    const texts = new Map<Lane["share"] | "no lane", readonly string[]>();
    for (const share of ["none", "summary", "all", undefined] as const) {
      const saver = VfsSaver.inMemory();
      const lane = share === undefined ? undefined : { name: "researcher", share };
      const { messages } = await laneHosts[name]({ saver, lane }).say("research");
      const uses = messages.flatMap((message) => laneOf(message) ?? []);
      expect(uses.map(({ name: agent, share: shared, thread: own }) => [agent, shared, own])).toEqual(
        share === undefined ? [] : [["researcher", share, thread]],
      );
      expect(uses.every(({ namespace }) => /^(?:researcher|tools):/.test(namespace))).toBe(true);
      texts.set(
        share ?? "no lane",
        messages.map(({ text }) => text.replaceAll("/context/lanes/researcher/", "/context/")),
      );
      await saver.close();
    }
    for (const text of texts.values()) expect(text).toEqual(texts.get("no lane"));
  },
);

it.each(["supervisor", "swarm"] as const)(
  "the state that a researcher of %s has left says where its folds are, for who hands its result on",
  async (name) => {
    const saver = VfsSaver.inMemory();
    const lane = { name: "researcher", share: "all" } as const;
    const state = await laneHosts[name]({ saver, lane }).say("research");
    const { namespace, ...use } = laneOf(handOver(new AIMessage("Done."), state)) ?? {};
    expect(use).toMatchObject({ ...lane, thread });
    expect(namespace).toMatch(/^researcher:/);
    await saver.close();
  },
);
