import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { aiDraft, aiStyles } from "./ai-drafts.js";
import { artifactArbitrary } from "./artifact-arbitrary.js";
import { callArbitrary } from "./call-arbitrary.js";
import { idField, type Draft } from "./draft.js";
import { shortTextArbitrary, textArbitrary } from "./text-arbitrary.js";

const picture = {
  type: "image_url",
  image_url: { url: `data:image/png;base64,${"iVBORw0KGgo".repeat(20)}` },
};

/** Returns a user message: text, or blocks with a picture. */
export function humanArbitrary(): fc.Arbitrary<Draft> {
  const kind = fc.constantFrom("text", "text", "blocks", "picture");
  return fc.tuple(textArbitrary(), kind).map(([text, kind]) => {
    const block = { type: "text", text };
    const content = { text, blocks: [block], picture: [block, picture] }[kind];
    return {
      kind: "human",
      build: (id) => new HumanMessage({ ...idField(id), content }),
    } satisfies Draft;
  });
}

/** Returns the steps of one turn of the model: each calls 0 to 5 tools at once and gets their results. */
export function stepArbitrary(): fc.Arbitrary<(callId: (call: number) => string) => readonly Draft[]> {
  const step = fc.record({
    style: fc.constantFrom(...aiStyles),
    text: shortTextArbitrary(),
    thinking: fc.option(shortTextArbitrary(), { nil: undefined, freq: 2 }),
    inputTokens: fc.option(fc.integer({ min: 1, max: 9_000 }), { nil: undefined, freq: 2 }),
    answered: fc.array(fc.tuple(callArbitrary(), resultArbitrary()), { maxLength: 5 }),
  });
  return step.map(({ answered, ...parts }) => (callId) => [
    aiDraft({ ...parts, calls: answered.map(([call], index) => ({ ...call, id: callId(index) })) }),
    ...answered.map(([call, result], index) => result(call.name, callId(index))),
  ]);
}

type ResultDraft = (name: string, callId: string) => Draft;

/** Returns a tool result: text of any size, blocks with pictures, an error, an artifact beside it. */
export function resultArbitrary(): fc.Arbitrary<ResultDraft> {
  const parts = fc.record({
    text: textArbitrary(),
    kind: fc.constantFrom("text", "text", "text", "blocks", "picture", "only-picture"),
    failed: fc.constantFrom(false, false, true),
    named: fc.boolean(),
    artifact: artifactArbitrary(),
  });
  return parts.map(({ text, kind, failed, named, artifact }) => (name, callId) => {
    const block = { type: "text", text };
    const content = { text, blocks: [block, block], picture: [block, picture], "only-picture": [picture] }[
      kind
    ];
    const build: Draft["build"] = (id) =>
      new ToolMessage({
        ...idField(id),
        ...(named ? { name } : {}),
        ...(artifact === undefined ? {} : { artifact }),
        content,
        tool_call_id: callId,
        status: failed ? "error" : "success",
      });
    return { kind: "result", build };
  });
}
