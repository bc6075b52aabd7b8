import { randomBytes } from "node:crypto";
import { describe, expect, it } from "vitest";
import { MemoryDriver } from "../drivers/memory-driver.js";
import { scopeDriver } from "../drivers/scope-driver.js";
import { testDriver } from "../testing/test-driver.js";
import { VirtualFilesystem } from "../virtual-filesystem.js";
import { chunkSize } from "./encrypted-content.js";
import { EncryptedDriver } from "./encrypted-driver.js";
import { KeyRing } from "./key-ring.js";

const secret = randomBytes(32);
const secretOf = () => secret;
const ring = new KeyRing({ keyId: "all/1", key: secretOf });
const bytes = (text: string): Uint8Array => Buffer.from(text);
const text = (read: Uint8Array | undefined): string | undefined => read && Buffer.from(read).toString();

testDriver({
  name: "encrypted, other files",
  create: () => new EncryptedDriver(new MemoryDriver(), ring),
});

testDriver({
  name: "encrypted, files of a thread",
  create: () => scopeDriver(new EncryptedDriver(new MemoryDriver(), ring), "/threads/t"),
});

testDriver({
  name: "encrypted, beside files that were not",
  create: async () => {
    const stored = new MemoryDriver();
    await stored.write("/threads/older/a", bytes("as it was"));
    return scopeDriver(new EncryptedDriver(stored, ring), "/threads/t");
  },
});

describe("an encrypted driver", () => {
  it("stores the files of threads under its own directory, without a word of them", async () => {
    const stored = new MemoryDriver();
    const driver = new EncryptedDriver(stored, ring);
    await driver.write("/threads/t/context/a.txt", bytes("the secret plan"));
    const raw = await stored.read("/encrypted/threads/t/context/a.txt");
    expect(Buffer.from(raw ?? []).includes("secret")).toBe(false);
    expect(text(await driver.read("/threads/t/context/a.txt"))).toBe("the secret plan");
    expect((await driver.stat("/threads/t/context/a.txt"))?.size).toBe(15);
  });

  it("writes with the key of each thread, and refuses to guess whose a path is", async () => {
    const keys = new Map([
      ["ada", randomBytes(32)],
      ["bob", randomBytes(32)],
    ]);
    const driver = new EncryptedDriver(
      new MemoryDriver(),
      new KeyRing({ keyId: (threadId) => threadId, key: (id) => keys.get(id) }),
    );
    await driver.of("ada").write("/threads/ada/a", bytes("of Ada"));
    await driver.of("bob").write("/threads/bob/a", bytes("of Bob"));
    await expect(driver.write("/threads/eve/b", bytes("whose?"))).rejects.toThrow(/threadDriver/);
    await driver.write("/threads/ada/b", bytes("beside another of Ada"));
    keys.delete("ada");
    const later = new EncryptedDriver(
      driver.stored,
      new KeyRing({ keyId: (threadId) => threadId, key: (id) => keys.get(id) }),
    );
    for (const name of ["a", "b"])
      await expect(later.read(`/threads/ada/${name}`)).rejects.toThrow(/"ada" is not available.*destroyed/);
    expect(text(await later.read("/threads/bob/a"))).toBe("of Bob");
    expect(await later.delete("/threads/ada/a")).toBe(true);
  });

  it("reads what was written under an earlier key, after a rotation", async () => {
    const keys = new Map([["1", randomBytes(32)]]);
    const stored = new MemoryDriver();
    const key = (id: string) => keys.get(id);
    await new EncryptedDriver(stored, new KeyRing({ keyId: "1", key })).write("/threads/t/a", bytes("old"));
    keys.set("2", randomBytes(32));
    const driver = new EncryptedDriver(stored, new KeyRing({ keyId: "2", key }));
    await driver.write("/threads/t/b", bytes("new"));
    expect((await driver.readAll(["/threads/t/a", "/threads/t/b"])).map(text)).toEqual(["old", "new"]);
  });

  it("reads, lists, replaces and deletes files from before it, and writes no other over them", async () => {
    const stored = new MemoryDriver();
    for (const name of ["a", "c"]) await stored.write(`/threads/t/${name}`, bytes(`old ${name}`));
    const driver = new EncryptedDriver(stored, ring);
    await driver.write("/threads/t/b", bytes("new b"));
    const paths: string[] = [];
    for await (const { path } of driver.list("/")) paths.push(path);
    expect(paths).toEqual(["/threads/t/a", "/threads/t/b", "/threads/t/c"]);
    expect(await driver.write("/threads/t/a", bytes("other"), { ifAbsent: true })).toBe(false);
    expect(text(await driver.read("/threads/t/a"))).toBe("old a");
    await driver.write("/threads/t/a", bytes("new a"));
    expect(await stored.stat("/threads/t/a")).toBeUndefined();
    expect(await driver.delete("/threads/t/c")).toBe(true);
    expect(await driver.read("/threads/t/c")).toBeUndefined();
  });

  it("has nothing written beside its files in clear by a filesystem without its keys", async () => {
    const driver = new MemoryDriver();
    const encryption = { keyId: "all/1", key: secretOf };
    await new VirtualFilesystem({ driver, encryption }).archive("t").append("/context/a.txt", "a secret");
    const { archive, workspace } = new VirtualFilesystem({ driver }).thread("t");
    const stored = async (): Promise<readonly string[]> => {
      const paths: string[] = [];
      for await (const { path } of driver.list("/")) paths.push(path);
      return paths;
    };
    const before = await stored();
    await expect(archive.append("/context/b.txt", "in clear")).rejects.toMatchObject({
      code: "missing-key",
      message: expect.stringMatching(/thread "t" are encrypted.*with its encryption/u) as string,
    });
    expect((await workspace.write("/c.txt", "in clear")).error).toMatch(/"t" are encrypted/u);
    expect(await stored()).toEqual(before);
    const later = new VirtualFilesystem({ driver, encryption }).archive("t");
    await later.append("/context/b.txt", "another");
    expect(await later.readText("/context/a.txt")).toBe("a secret");
  });

  it("reads a range of a large file without reading all of it", async () => {
    const read: number[] = [];
    const stored = new MemoryDriver();
    const driver = new EncryptedDriver(
      Object.assign(Object.create(stored) as MemoryDriver, {
        read: async (path: string, range?: { start: number; end: number }) => {
          const found = await stored.read(path, range);
          read.push(found?.length ?? 0);
          return found;
        },
        stat: async (path: string) => stored.stat(path),
        write: async (path: string, content: Uint8Array) => stored.write(path, content),
        list: (prefix: string) => stored.list(prefix),
      }),
      ring,
    );
    const content = randomBytes(20 * chunkSize);
    await driver.write("/threads/t/large", content);
    const range = { start: 7 * chunkSize + 5, end: 7 * chunkSize + 105 };
    expect(Buffer.from((await driver.read("/threads/t/large", range)) ?? [])).toEqual(
      content.subarray(range.start, range.end),
    );
    expect(read.reduce((sum, size) => sum + size, 0)).toBeLessThan(2 * chunkSize);
  });

  it("names an id, a key and options of another form when it is built or first used", async () => {
    expect(() => new KeyRing({ keyId: "", key: secretOf })).toThrow(/"" is no id/);
    expect(() => new KeyRing({ keyId: "a b", key: secretOf })).toThrow(/"a b" is no id/);
    expect(() => new KeyRing({} as never)).toThrow(/encryption needs \{ keyId, key \}/);
    await expect(new KeyRing({ keyId: "a", key: () => randomBytes(16) }).key("a")).rejects.toThrow(
      /"a" is not 32 bytes/,
    );
  });
});
