import { AIMessage, HumanMessage, ToolMessage } from "@langchain/core/messages";
import { expect, it } from "vitest";
import { atomsOf } from "./atoms.js";
import { generateTrajectory } from "./made/generate-trajectory.js";
import { stepsOf } from "./steps.js";

function call(args: Record<string, unknown>, id = "c"): AIMessage {
  return new AIMessage({
    id: `a-${id}`,
    content: "",
    tool_calls: [{ id, name: "run", args, type: "tool_call" }],
  });
}

it("atoms are paths, names, numbers and old lines, and nothing that the agent invents", () => {
  const args = {
    path: "src/app/main.ts",
    command: "grep parseToken 20260105",
    old_string: "    return parse(input, position);\n}",
    new_string: "const invented_name = 1;",
  };
  const found = atomsOf(call(args)).map(({ kind, text }) => `${kind} ${text}`);
  expect(found.toSorted()).toEqual([
    "line return parse(input, position);",
    "name parseToken",
    "number 20260105",
    "path src/app/main.ts",
  ]);
});

it("the distance of an atom is to the newest chunk that has it, and an atom without a source is left out", () => {
  const messages = [
    new HumanMessage({ id: "h", content: "Look at module_one." }),
    call({ name: "module_one" }, "1"),
    new ToolMessage({ id: "t", tool_call_id: "1", content: "it needs module_two" }),
    call({ name: "module_one module_two never_seen" }, "2"),
  ];
  const steps = stepsOf({ set: "test", id: "t", messages });
  const needed = steps.map((step) => step.needed.map(({ text, distance }) => `${text} ${distance}`));
  expect(needed).toEqual([["module_one 1"], ["module_one 1", "module_two 1"]]);
  expect(steps[1]?.added.map(({ id }) => id)).toEqual(["a-1", "t"]);
});

it("a seed always generates the same run, with far evidence and lines to edit", () => {
  const run = generateTrajectory({ seed: 3 });
  expect(run).toEqual(generateTrajectory({ seed: 3 }));
  const needed = stepsOf(run).flatMap((step) => step.needed);
  expect(needed.filter(({ distance }) => distance > 10).length).toBeGreaterThan(20);
  expect(needed.filter(({ kind }) => kind === "line").length).toBeGreaterThan(20);
});
