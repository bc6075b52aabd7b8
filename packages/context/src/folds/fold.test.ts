import { AIMessage, HumanMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { expect, it } from "vitest";
import { sealedText, standIn, type Fold } from "./fold.js";

const fold: Fold = {
  id: "mask-1",
  kind: "mask",
  path: "/context/results/a.txt",
  covers: ["r"],
  tokensBefore: 9,
  tokensAfter: 1,
};

function sortKeys(_: string, value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
}

it("signs all fields of a fold but its seal and what a host changes, and what the message says, as JSON with sorted keys", () => {
  const fields = fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom("__proto__", "block", "7")),
    fc.jsonValue(),
  );
  fc.assert(
    fc.property(fields, fc.string(), (others, seal) => {
      const signed = { ...others, ...fold };
      const span = { first: "r", last: "r", digest: seal };
      const own = { ...signed, seal, span, removed: [seal] };
      const message = standIn(new HumanMessage({ id: "r", content: "short" }), own, {});
      const said = { content: "short", fold: signed, id: "r", role: "human" };
      expect(sealedText(message)).toBe(JSON.stringify(said, sortKeys));
    }),
  );
});

it("signs another text for the same fold on other words, another id or another role", () => {
  const genuine = standIn(new HumanMessage({ id: "r", content: "short" }), fold, {});
  const others = [
    standIn(new HumanMessage({ id: "r", content: "other" }), fold, {}),
    standIn(new HumanMessage({ id: "r", content: [{ type: "text", text: "short" }] }), fold, {}),
    standIn(new HumanMessage({ id: "s", content: "short" }), fold, {}),
    standIn(new AIMessage({ id: "r", content: "short" }), fold, {}),
  ];
  for (const other of others) expect(sealedText(other)).not.toBe(sealedText(genuine));
});

const sealOf = (message: HumanMessage) => (message.additional_kwargs["palimpsest"] as Fold).seal;

it("leaves out the seal of a stand-in whose content changes", () => {
  const genuine = standIn(new HumanMessage({ id: "r", content: "short" }), { ...fold, seal: "s" }, {});
  expect(sealOf(genuine)).toBe("s");
  expect(sealOf(standIn(genuine, { ...fold, seal: "s" }, { content: "shorter" }))).toBeUndefined();
});
