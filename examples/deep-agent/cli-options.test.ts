import { describe, expect, it } from "vitest";
import { UsageError, defaultModel, parseCliOptions } from "./cli-options.js";

describe("parseCliOptions", () => {
  it("has defaults for everything, and no model without a key", () => {
    expect(parseCliOptions([], {})).toMatchObject({
      json: false,
      window: 32_000,
      packages: 36,
      model: undefined,
      keep: undefined,
    });
  });

  it("takes the model of a server when there is a key, unless told to stay offline", () => {
    const env = { OPENAI_API_KEY: "key" };
    expect(parseCliOptions([], env)).toMatchObject({ model: defaultModel });
    expect(parseCliOptions(["--model", "m"], env)).toMatchObject({ model: "m" });
    expect(parseCliOptions(["--offline"], env)).toMatchObject({ model: undefined });
  });

  it.each([
    [["--bogus"], "--bogus"],
    [["extra"], "extra"],
    [["--window", "abc"], "--window abc"],
    [["--window", "100"], "--window 100"],
    [["--window", "-5"], "--window"],
    [["--window", "NaN"], "--window NaN"],
    [["--packages", "0"], "--packages 0"],
    [["--packages", "1.5"], "--packages 1.5"],
    [["--dir", "/no/such/folder"], "/no/such/folder"],
    [["--model", "m"], "OPENAI_API_KEY"],
  ])("refuses %j and says why", (args, reason) => {
    expect(() => parseCliOptions(args, {})).toThrow(UsageError);
    expect(() => parseCliOptions(args, {})).toThrow(reason);
  });
});
