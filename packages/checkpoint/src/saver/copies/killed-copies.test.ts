import { emptyCheckpoint } from "@langchain/langgraph-checkpoint";
import { spawn } from "node:child_process";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { writeThreads } from "../../testing/bit-flips.js";
import { storeSaver, temporaryPath, testedSavers } from "../../testing/savers.js";
import { VfsSaver } from "../vfs-saver.js";

/** Throws at the given call of the driver or of the engine, and at all later ones, like a process that was killed. */
function killedAt(
  saver: VfsSaver,
  call: number,
): { readonly calls: () => number; readonly revive: () => void } {
  let [calls, isAlive] = [0, true];
  const guard = (target: object): void => {
    for (const name of ["write", "delete", "commit"]) {
      const method: unknown = Reflect.get(target, name);
      if (typeof method !== "function") continue;
      Reflect.set(target, name, async (...args: unknown[]) => {
        calls += 1;
        if (isAlive && calls >= call) throw new Error("killed");
        return method.apply(target, args) as unknown;
      });
    }
  };
  guard(saver.files.driver);
  guard(Reflect.get(saver, "engine") as object);
  return { calls: () => calls, revive: () => (isAlive = false) };
}

/** The checkpoints of a thread and the paths of its archive. */
async function contentOf(saver: VfsSaver, threadId: string): Promise<string> {
  const parts: string[] = [];
  for await (const tuple of saver.list({ configurable: { thread_id: threadId } }))
    parts.push(JSON.stringify(tuple));
  for await (const { path, size } of saver.files.archive(threadId).list()) parts.push(`${path} ${size}`);
  return parts.sort().join("\n").replaceAll(`"thread_id":"${threadId}"`, "");
}

describe.each([...testedSavers, storeSaver])("a copy of a thread on $name", ({ create }) => {
  it("that was killed at any write is completed by a repeated call", async () => {
    const all = await create();
    await writeThreads(all, 4);
    const counting = killedAt(all, Infinity);
    await all.copyThread("one", "copy");
    const writes = counting.calls();
    expect(writes).toBeGreaterThan(10);
    await all.close();
    for (const share of [0.02, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99]) {
      const saver = await create();
      await writeThreads(saver, 4);
      const kill = killedAt(saver, 1 + Math.floor(share * writes));
      await expect(saver.copyThread("one", "copy")).rejects.toThrow("killed");
      kill.revive();
      await saver.copyThread("one", "copy");
      expect(await contentOf(saver, "copy")).toBe(await contentOf(saver, "one"));
      await expect(saver.copyThread("one", "copy")).rejects.toMatchObject({ code: "conflict" });
      await saver.close();
    }
  });

  it.each([
    ["deleted", false, "not-found"],
    ["deleted and begun again", true, "conflict"],
  ])("whose thread is %s meanwhile has no checkpoint that lacks its files", async (_, isBegunAgain, code) => {
    const saver = await create();
    await writeThreads(saver, 4);
    const driver = saver.files.storedDriver;
    const write = driver.write.bind(driver);
    let isDeleted = false;
    driver.write = async (path, ...rest) => {
      if (!isDeleted && path.includes("/threads/copy/")) {
        isDeleted = true;
        await saver.deleteThread("one");
        const config = { configurable: { thread_id: "one", checkpoint_ns: "" } };
        const metadata = { source: "input", step: -1, parents: {} } as const;
        if (isBegunAgain) await saver.put(config, emptyCheckpoint(), metadata, {});
      }
      return write(path, ...rest);
    };
    await expect(saver.copyThread("one", "copy")).rejects.toMatchObject({ code });
    expect(isDeleted).toBe(true);
    for await (const tuple of saver.list({ configurable: { thread_id: "copy" } }))
      throw new Error(`the copy has the checkpoint ${tuple.checkpoint.id}`);
    await saver.close();
  });

  it("of a thread that does not exist leaves nothing that a later copy would continue", async () => {
    const saver = await create();
    await expect(saver.copyThread("one", "two")).rejects.toMatchObject({ code: "not-found" });
    await writeThreads(saver, 2);
    await expect(saver.copyThread("one", "two")).rejects.toMatchObject({ code: "conflict" });
    await saver.close();
  });
});

it("a backup deletes what killed backups have left in its directory, and nothing of one that runs", async () => {
  const path = temporaryPath();
  const saver = VfsSaver.fromPath(path);
  await writeThreads(saver, 1);
  await saver.close();
  const ended = spawn(process.execPath, ["-e", ""]);
  await new Promise((resolve) => ended.on("exit", resolve));
  const copy = temporaryPath("copy.db");
  const host = hostname().replace(/[^A-Za-z0-9]/g, "");
  const nameOf = (pid: number | undefined) => `${copy}.${host}-${pid}-${crypto.randomUUID()}.palimpsest-tmp`;
  const [left, running] = [nameOf(ended.pid), nameOf(process.pid)];
  for (const name of [left, `${left}-journal`, running]) writeFileSync(name, "part of a copy");
  VfsSaver.backup(path, copy);
  expect(existsSync(copy)).toBe(true);
  const names = readdirSync(dirname(copy)).filter((name) => name.includes("tmp"));
  expect(names).toEqual([running.slice(dirname(copy).length + 1)]);
});
