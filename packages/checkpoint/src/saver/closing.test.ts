import { AIMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph-checkpoint";
import { MemoryDriver } from "@palimpsest/vfs";
import { chmodSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, it } from "vitest";
import { CheckpointError } from "../checkpoint-error.js";
import { DriverBlobs } from "../engines/wrapped/driver-blobs.js";
import { SaverEngine } from "../engines/wrapped/saver-engine.js";
import { LibsqlDatabase } from "../engines/libsql/libsql-database.js";
import { temporaryPath } from "../testing/savers.js";
import { VfsSaver } from "./vfs-saver.js";

const config = { configurable: { thread_id: "t", checkpoint_ns: "" } };

async function put(saver: VfsSaver, step: number): Promise<void> {
  const messages = Array.from({ length: 50 }, (_, index) => new AIMessage(`${step} ${index} `.repeat(200)));
  const checkpoint = {
    v: 4,
    id: `1f0a0000-0000-6${100 + step}-8000-000000000001`,
    ts: "",
    channel_values: { messages },
    channel_versions: { messages: step + 1.5 },
    versions_seen: {},
  };
  await saver.put(config, checkpoint, { source: "loop", step, parents: {} }, { messages: step + 1.5 });
}

describe("closing a saver", () => {
  it("succeeds if the log cannot be ended, and the next process reads everything", async () => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path);
    await put(saver, 1);
    const reader = new LibsqlDatabase(path);
    reader.exec("BEGIN");
    reader.get("SELECT count(*) FROM blobs");
    await put(saver, 2);
    await saver.close();
    reader.exec("ROLLBACK");
    reader.close();
    const next = VfsSaver.fromPath(path);
    expect((await next.getTuple(config))?.metadata).toMatchObject({ step: 2 });
    await next.close();
  });

  it("succeeds after a write failed on a full disk", async () => {
    const path = temporaryPath();
    const saver = VfsSaver.fromPath(path, { maxPages: 30 });
    const filling = async (): Promise<void> => {
      for (let step = 1; step < 800; step++) await put(saver, step);
    };
    await expect(filling()).rejects.toMatchObject({ code: "disk-full" });
    await saver.close();
    const next = VfsSaver.fromPath(path);
    await put(next, 899);
    expect((await next.getTuple(config))?.metadata).toMatchObject({ step: 899 });
    await next.close();
  });

  it("closes the connection even if the disk has no room to end the log", () => {
    class FullDatabase extends LibsqlDatabase {
      override endLog(): void {
        throw new CheckpointError("disk-full", "no room");
      }
    }
    const database = new FullDatabase(temporaryPath());
    database.close();
    expect(database.isClosed).toBe(true);
  });

  it("can be tried again when it failed, and is done once otherwise", async () => {
    const engine = new SaverEngine({ saver: new MemorySaver(), blobs: new DriverBlobs(new MemoryDriver()) });
    let attempts = 0;
    engine.close = async () => {
      attempts += 1;
      if (attempts === 1) throw new Error("unplugged");
    };
    const saver = new VfsSaver({ engine, driver: new MemoryDriver() });
    await expect(saver.close()).rejects.toThrow("unplugged");
    await saver.close();
    await saver.close();
    expect(attempts).toBe(2);
  });
});

describe("a SQLite file that cannot be written", () => {
  const otherUser = Number(process.env["PALIMPSEST_OTHER_USER"]);
  it.skipIf(otherUser === 0 || process.platform !== "linux")(
    "is read, and refuses a write with the way out",
    async () => {
      const path = temporaryPath();
      const writer = VfsSaver.fromPath(path);
      await put(writer, 1);
      await writer.close();
      chmodSync(dirname(path), 0o555);
      chmodSync(path, 0o444);
      // The superuser may write to any file.
      process.seteuid?.(otherUser);
      try {
        const saver = VfsSaver.fromPath(path);
        expect((await saver.getTuple(config))?.metadata).toMatchObject({ step: 1 });
        await expect(put(saver, 2)).rejects.toMatchObject({ code: "read-only" });
        await saver.close();
      } finally {
        process.seteuid?.(0);
      }
    },
  );
});

describe("a name with a lone surrogate", () => {
  it.each(["thread_id", "checkpoint_ns", "checkpoint_id"])("is refused as a %s", async (key) => {
    const saver = VfsSaver.inMemory();
    const given = {
      configurable: { thread_id: "t", checkpoint_ns: "", checkpoint_id: "1", [key]: "a\ud800" },
    };
    const refusal = { code: "bad-option", message: expect.stringContaining(`${key} is "a\\ud800"`) };
    await expect(saver.getTuple(given)).rejects.toMatchObject(refusal);
    await expect(saver.putWrites(given, [["x", 1]], "task")).rejects.toMatchObject(refusal);
    await expect(saver.list(given).next()).rejects.toMatchObject(refusal);
    await saver.putWrites({ configurable: { thread_id: "a\ufffd", checkpoint_id: "1" } }, [["x", 1]], "task");
    await saver.close();
  });

  it("is refused by deleteThread", async () => {
    const saver = VfsSaver.inMemory();
    await expect(saver.deleteThread("\udc00")).rejects.toMatchObject({ code: "bad-option" });
    await saver.close();
  });
});
