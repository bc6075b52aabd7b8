import * as fc from "fast-check";
import { expect, it } from "vitest";
import type { Operation } from "./operation.js";
import { runFuzz } from "./run-fuzz.js";

const seed = 20_260;
const milliseconds = 60_000;

const planted: readonly Operation[] = [
  {
    name: "forget",
    run: async (state) => ({
      ...state,
      messages: state.messages.slice(1),
      context: state.context?.slice(1) ?? [],
    }),
  },
  {
    name: "throw",
    run: async () => {
      throw new Error("planted");
    },
  },
  {
    name: "mutate",
    async run(state) {
      for (const message of state.messages) message.content = "changed";
      return state;
    },
  },
];

it.each(planted)("the fuzzer finds a planted fault: $name", async (operation) => {
  const { violations } = await runFuzz({ seed, milliseconds, most: 500, further: [fc.constant(operation)] });
  expect(violations.length).toBeGreaterThan(0);
  expect(violations[0]).toContain(operation.name);
});
