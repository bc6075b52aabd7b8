import type { Agent } from "../agents/agent.js";
import type { Finding } from "../scenario.js";

/** Returns a measure of whether a text is in the last prompt of the agent that was answered. */
export function asksStill(text: string) {
  return async function measure({ calls }: Agent): Promise<Finding> {
    const last = calls.findLast(({ purpose, outcome }) => purpose === "agent" && outcome === "answered");
    const there = last?.text.includes(text) === true;
    return { text: `"${text}" is ${there ? "" : "not "}in the last prompt`, sound: there };
  };
}
