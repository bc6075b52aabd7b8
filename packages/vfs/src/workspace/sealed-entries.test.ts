import { describe, expect, it } from "vitest";
import { digestBytes } from "../blob-store.js";
import { MemoryDriver } from "../drivers/memory-driver.js";
import { VirtualFilesystem } from "../virtual-filesystem.js";
import type { Files } from "./files.js";
import { mergeFiles } from "./merge-files.js";
import { WorkspaceBackend } from "./workspace-backend.js";

const secret = "the salary of Ada is 90,000";

/** Returns the state that a client sends after guessing what somebody stored. */
function guessed(text: string): Files {
  const bytes = Buffer.from(text);
  const modifiedAt = "2026-01-01T00:00:00.000Z";
  return { "/guess.md": { digest: digestBytes(bytes), size: bytes.length, lines: 1, modifiedAt } };
}

/** Returns the files of a thread in which a tool has written the secret. */
async function stored(files: VirtualFilesystem, threadId: string): Promise<Files> {
  const { backend, workspace } = files.thread(threadId);
  await backend.write("/salaries.md", secret);
  return mergeFiles({}, workspace.changes);
}

describe("an entry of the files channel", () => {
  it("that a client made from a digest cannot be read, though the bytes are stored", async () => {
    const files = VirtualFilesystem.inMemory();
    await stored(files, "victim");
    const unprotected = new WorkspaceBackend(files.blobs, guessed(secret));
    expect((await unprotected.read("/guess.md")).content).toBe(secret);

    const { backend } = files.thread("attacker", guessed(secret));
    const right = await backend.read("/guess.md");
    expect(right.content).toBeUndefined();
    expect(right.error).toContain("was not written in this thread");
    const { backend: wrong } = files.thread("attacker", guessed("the salary of Ada is 10"));
    expect((await wrong.read("/guess.md")).error).toBe(right.error);
  });

  it("of another thread cannot be read, and neither can one with a forged seal", async () => {
    const files = VirtualFilesystem.inMemory();
    const entries = await stored(files, "victim");
    expect((await files.thread("victim", entries).backend.read("/salaries.md")).content).toBe(secret);
    expect((await files.thread("attacker", entries).backend.read("/salaries.md")).error).toBeDefined();
    const forged = { "/guess.md": { ...guessed(secret)["/guess.md"], seal: "A".repeat(43) } } as Files;
    expect((await files.thread("victim", forged).backend.read("/guess.md")).error).toBeDefined();
  });

  it("can be overwritten by the agent, even with the content that the client guessed", async () => {
    const files = VirtualFilesystem.inMemory();
    const { backend, workspace } = files.thread("t", guessed(secret));
    await backend.write("/guess.md", secret);
    const merged = mergeFiles(guessed(secret), workspace.changes);
    expect((await files.thread("t", merged).backend.read("/guess.md")).content).toBe(secret);
  });

  it("can be read in every process on the same storage, and after a conflict", async () => {
    const driver = new MemoryDriver();
    const first = await stored(new VirtualFilesystem({ driver }), "t");
    const later = new VirtualFilesystem({ driver });
    expect((await later.thread("t", first).backend.read("/salaries.md")).content).toBe(secret);
    const [left, right] = [later.thread("t", first), later.thread("t", first)];
    await Promise.all([left.backend.write("/salaries.md", "1"), right.backend.write("/salaries.md", "2")]);
    const merged = mergeFiles(mergeFiles(first, left.workspace.changes), right.workspace.changes);
    const texts = Object.keys(merged).map(async (path) => later.thread("t", merged).backend.read(path));
    expect(
      (await Promise.all(texts))
        .map(({ content }) => content)
        .toSorted((a, b) => (String(a) < String(b) ? -1 : 1)),
    ).toEqual(["1", "2"]);
  });

  it("can be read when two processes create the key of the thread at once", async () => {
    const driver = new MemoryDriver();
    const made = await Promise.all([1, 2, 3].map(async () => stored(new VirtualFilesystem({ driver }), "t")));
    for (const entries of made) {
      const { backend } = new VirtualFilesystem({ driver }).thread("t", entries);
      expect((await backend.read("/salaries.md")).content).toBe(secret);
    }
  });
});

/** Counts the operations of a driver, which is what the time of a write depends on. */
class CountingDriver extends MemoryDriver {
  readonly done: string[] = [];

  override async stat(path: string) {
    const found = await super.stat(path);
    this.done.push(`stat ${found !== undefined}`);
    return found;
  }

  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    this.done.push("write");
    return super.write(...args);
  }
}

/** Returns what a write of the attacker does in storage where the victim has stored `text`. */
async function traceOf(text: string, keys: { readonly victim?: string; readonly attacker?: string }) {
  const driver = new CountingDriver();
  const keyed = (tenantKey: string | undefined) =>
    new VirtualFilesystem({ driver, ...(tenantKey === undefined ? {} : { tenantKey }) });
  await keyed(keys.victim).thread("victim").backend.write("/a.md", text);
  driver.done.length = 0;
  await keyed(keys.attacker).thread("attacker").backend.write("/a.md", secret);
  return driver.done;
}

describe("a filesystem with a tenant key", () => {
  it("writes in the same way whatever other tenants stored, unlike one without a key", async () => {
    expect(await traceOf(secret, {})).not.toEqual(await traceOf("something else", {}));
    const keys = { victim: "of the victim", attacker: "of the attacker" };
    expect(await traceOf(secret, keys)).toEqual(await traceOf("something else", keys));
  });

  it("reads its own files and refuses an empty key", async () => {
    const driver = new MemoryDriver();
    const entries = await stored(new VirtualFilesystem({ driver, tenantKey: "k" }), "t");
    const { backend } = new VirtualFilesystem({ driver, tenantKey: "k" }).thread("t", entries);
    expect((await backend.read("/salaries.md")).content).toBe(secret);
    expect(() => new VirtualFilesystem({ driver, tenantKey: "" })).toThrow("The key is empty");
  });
});
