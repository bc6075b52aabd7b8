import { expect, it } from "vitest";
import { benches } from "./benches.js";

it.each(["offload", "index", "search", "steps", "threads"])(
  "the small version of the bench %s holds",
  async (name) => {
    const bench = await benches[name]?.();
    const result = await bench?.({ quick: true, args: [], progress: () => undefined });
    expect(result).toMatchObject({ suite: name, passed: true });
    expect(result?.cases).toBeGreaterThan(0);
  },
);
