import { checkPrices } from "@palimpsest/context";
import { expect, it } from "vitest";
import { listedPrices } from "./listed-prices.js";

it("lists the price of a model under its name, with a provider before it and a date after it", () => {
  const prices = { input: 1, cachedInput: 0.1, output: 5, cacheWrite: 1.25 };
  for (const name of ["claude-haiku-4-5", "claude-haiku-4-5-20251001", "anthropic/claude-haiku-4-5"]) {
    const listed = listedPrices(name);
    expect(listed).toEqual(prices);
    checkPrices(name, prices);
  }
  expect(listedPrices("gpt-4.1-2025-04-14")?.input).toBe(2);
});

it("has no price for a model that only begins like one, or is named like a property of objects", () => {
  for (const name of ["gpt-5-turbo", "o3-pro", "scripted", "constructor", ""])
    expect(listedPrices(name)).toBeUndefined();
});
