import { describe, expect, it } from "vitest";
import { sessionStore, type SessionFiles } from "./session-store.js";

/** A storage in memory. */
function memory(): SessionFiles {
  const stored = new Map<string, { readonly bytes: Uint8Array; readonly modifiedAt: string }>();
  return {
    read: async (path) => stored.get(path)?.bytes,
    async write(path, bytes, options) {
      if (options?.ifAbsent === true && stored.has(path)) return false;
      stored.set(path, { bytes, modifiedAt: new Date().toISOString() });
      return true;
    },
    async *list(prefix) {
      for (const [path, { modifiedAt }] of stored) if (path.startsWith(prefix)) yield { path, modifiedAt };
    },
    delete: async (path) => stored.delete(path),
  };
}

const key = { projectKey: "-home-user-heron", sessionId: "s-1" };
const entry = (uuid: string) => ({ type: "user", uuid, message: { role: "user", content: uuid } });

describe("a session store", () => {
  it("loads the entries as they were appended, in order", async () => {
    const store = sessionStore(memory());
    const entries = [{ type: "custom-title", title: "Heron" }, entry("a"), entry("b"), entry("c")];
    await store.append(key, entries.slice(0, 2));
    await store.append(key, entries.slice(2));
    expect(await store.load(key)).toEqual(entries);
  });

  it("counts an entry with a known uuid once, as a retry and an import send it again, and keeps entries without one", async () => {
    const store = sessionStore(memory());
    const tag = { type: "tag", value: "x" };
    await store.append(key, [entry("a"), tag]);
    await store.append(key, [entry("a"), tag, entry("b")]);
    expect(await store.load(key)).toEqual([entry("a"), tag, tag, entry("b")]);
  });

  it("keeps many batches of one moment in the order of the calls", async () => {
    const store = sessionStore(memory());
    const entries = Array.from({ length: 200 }, (_, at) => entry(`e${at}`));
    for (const one of entries) await store.append(key, [one]);
    expect(await store.load(key)).toEqual(entries);
  });

  it("knows nothing of a key that was never written", async () => {
    const store = sessionStore(memory());
    await store.append(key, [entry("a")]);
    expect(await store.load({ ...key, sessionId: "s-2" })).toBeNull();
    expect(await store.load({ ...key, subpath: "subagents/agent-1" })).toBeNull();
    expect(await store.listSessions("another-project")).toEqual([]);
  });

  it("lists sessions with their time, and the subagents of one", async () => {
    const store = sessionStore(memory());
    const before = Date.now();
    await store.append(key, [entry("a")]);
    await store.append({ ...key, subpath: "subagents/agent-1" }, [entry("b")]);
    await store.append({ ...key, sessionId: "../s-2" }, [entry("c")]);
    const sessions = await store.listSessions(key.projectKey);
    expect(sessions.map(({ sessionId }) => sessionId)).toEqual(["s-1", "../s-2"]);
    expect(sessions.every(({ mtime }) => Number.isInteger(mtime) && mtime >= before)).toBe(true);
    expect(await store.listSubkeys(key)).toEqual(["subagents/agent-1"]);
    expect(await store.load({ ...key, subpath: "subagents/agent-1" })).toEqual([entry("b")]);
  });

  it("deletes one subagent, or the session with all of them, and no other session", async () => {
    const store = sessionStore(memory());
    const subagent = { ...key, subpath: "subagents/agent-1" };
    const other = { ...key, sessionId: "s-10" };
    for (const one of [key, subagent, other]) await store.append(one, [entry("a")]);
    await store.delete(subagent);
    expect(await store.load(subagent)).toBeNull();
    expect(await store.load(key)).toEqual([entry("a")]);
    await store.append(subagent, [entry("b")]);
    await store.delete(key);
    expect([await store.load(key), await store.load(subagent)]).toEqual([null, null]);
    expect(await store.load(other)).toEqual([entry("a")]);
  });
});
