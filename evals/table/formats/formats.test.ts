import { expect, it } from "vitest";
import { generateTrajectory } from "../../data/made/generate-trajectory.js";
import { textOf } from "../../data/text-of.js";
import { adkFormat } from "./adk-events.js";
import { aiFormat } from "./ai-messages.js";
import { strandsFormat } from "./strands-messages.js";
import { Translator, type Format } from "./translator.js";

const { messages } = generateTrajectory({ seed: 3, steps: 20 });
const formats: readonly (readonly [string, Format<object>])[] = [
  ["Strands", strandsFormat as unknown as Format<object>],
  ["the AI SDK", aiFormat as unknown as Format<object>],
  // It passes on every event that it does not summarize.
  ["ADK", adkFormat as unknown as Format<object>],
];

it.each(formats.slice(0, 2))("what %s writes of a thread reads as the same thread", (_, format) => {
  const theirs = new Translator(format).toTheirs(messages);
  // Another translator, which knows none of the originals.
  const back = new Translator(format).toOurs(theirs);
  expect(back.map(textOf)).toEqual(messages.map(textOf));
  expect(back.map((message) => message.getType())).toEqual(messages.map((message) => message.getType()));
  expect(back.flatMap(callIdOf)).toEqual(messages.flatMap(callIdOf));
});

it.each(formats)("a message that %s passes on is the message that it was", (_, format) => {
  const translator = new Translator(format);
  expect(translator.toOurs(translator.toTheirs(messages))).toEqual(messages);
});

function callIdOf(message: object): readonly string[] {
  return "tool_call_id" in message ? [String(message.tool_call_id)] : [];
}
