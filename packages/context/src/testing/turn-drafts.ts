import { HumanMessage, ToolMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { aiDraft, aiStyles } from "./ai-drafts.js";
import { callArbitrary, idField, type Draft } from "./drafts.js";
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

/** Returns the steps of one model turn: each makes 0 to 5 parallel calls and gets their results. */
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

/** Returns artifacts of tool results, most of them without a JSON form. Shrinks to undefined. */
export function artifactArbitrary(): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 4, arbitrary: fc.constant(undefined) },
    fc.constantFrom<unknown>(null, 0, Number.NaN, -0, 12n, "text", [], {}),
    fc.date({ noInvalidDate: true }).map((when) => ({ when, missing: undefined, list: [undefined, when] })),
    fc.uint8Array({ maxLength: 8 }).map((bytes) => ({ bytes, copy: Buffer.from(bytes) })),
    fc
      .dictionary(fc.constantFrom("a", "a.b", "constructor", "prototype", "~", "~constructor"), fc.nat(9), {
        noNullPrototype: true,
      })
      .map((counts) => ({ counts, map: new Map([["counts", counts]]), set: new Set([1]) })),
  );
}
