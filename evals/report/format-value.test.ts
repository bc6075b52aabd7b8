import { expect, it } from "vitest";
import { shareRange } from "./format-value.js";

it("a range of shares shows its ends, one share where they are equal, and a dash for none", () => {
  expect(shareRange([0.871, undefined, 0.934, Number.NaN])).toBe("87 to 93 %");
  expect(shareRange([0.5, 0.502])).toBe("50 %");
  expect(shareRange([undefined])).toBe("–");
});
