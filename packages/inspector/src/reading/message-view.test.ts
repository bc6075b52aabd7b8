import { expect, it } from "vitest";
import { foldView } from "./message-view.js";

it("foldView counts the message in which a fold stands that was made before the message had an id", () => {
  const fold = { id: "f", kind: "offload", path: "/context/results/a.txt", tokensBefore: 9, tokensAfter: 1 };
  expect(foldView({ ...fold, kind: "offload", covers: [] }).messages).toBe(1);
  expect(foldView({ ...fold, kind: "mask", covers: ["r"] }).messages).toBe(1);
  expect(foldView({ ...fold, kind: "summary", covers: ["a", "b"] }).messages).toBe(2);
});
