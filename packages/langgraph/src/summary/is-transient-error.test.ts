import { describe, expect, it } from "vitest";
import { isTransientError } from "./summary-call.js";

const coded = (fields: object, message = "x") => Object.assign(new Error(message), fields);

describe("isTransientError", () => {
  it.each<[string, unknown]>([
    ["a rate limit", coded({ status: 429 })],
    ["a server's fault", coded({ statusCode: 503 })],
    ["an answer with a status", coded({ response: { status: 502 } })],
    ["Anthropic's overload", coded({ status: 529 }, '{"type":"overloaded_error"}')],
    ["a broken connection", coded({ code: "ECONNRESET" })],
    ["what fetch throws", new TypeError("fetch failed", { cause: coded({ code: "UND_ERR_SOCKET" }) })],
    ["a wrapped one", new Error("model call failed", { cause: coded({ status: 500 }) })],
    ["words alone", "Error 503: service unavailable"],
  ])("is true for %s", (_, error) => {
    expect(isTransientError(error)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["a bad request", coded({ status: 400 }, "500 tokens are too many")],
    ["a wrong key", coded({ status: 401 })],
    ["a spent quota", coded({ status: 429, code: "insufficient_quota" }, "You exceeded your current quota")],
    ["an answer that is no summary", new Error("The summary model returned an empty answer")],
    ["nothing", undefined],
    ["null", null],
    ["a number", 503],
  ])("is false for %s", (_, error) => {
    expect(isTransientError(error)).toBe(false);
  });
});
