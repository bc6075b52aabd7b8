import { AIMessage, SystemMessage, ToolMessage, type BaseMessage } from "@langchain/core/messages";
import * as fc from "fast-check";
import { copyMessage } from "../messages/copy-message.js";
import { contentBlocks } from "../messages/text.js";
import { idField, type Draft } from "./drafts.js";
import { ForeignMessage } from "./message-image.js";

/** An irregularity of real histories: changes a list of drafts. */
export type Oddity = (drafts: readonly Draft[]) => readonly Draft[];

/** Returns late, missing and orphaned results, misplaced system messages, and messages of an unknown class. */
export function oddityArbitrary(): fc.Arbitrary<Oddity> {
  const place = fc.nat(1_000);
  return fc.oneof(
    fc.tuple(place, fc.integer({ min: 1, max: 4 })).map(([at, by]) => moveResult(at, by)),
    place.map((at) => dropResult(at)),
    place.map((at) => insert(at, orphan)),
    place.map((at) => insert(at, system)),
    place.map((at) => insert(at, foreign)),
  );
}

/**
 * Returns compactions of providers, in every field where LangChain's packages keep them: in a reply, and as a message of
 * their own. Also blocks that stand for nothing and of unknown types, which are ordinary content.
 */
export function nativeOddityArbitrary(): fc.Arbitrary<Oddity> {
  return fc
    .tuple(fc.nat(1_000), fc.nat(99), fc.constantFrom(...nativeStyles))
    .map(([at, block, style]): Oddity => {
      if (style === "signed") return insert(at, signed(block));
      return (drafts) => {
        const replies = drafts.flatMap(({ kind }, index) => (kind === "ai" ? [index] : []));
        const place = replies[at % Math.max(1, replies.length)] ?? -1;
        return drafts.map((draft, index) =>
          index === place ? { ...draft, build: (id) => withNative(draft.build(id), style, block) } : draft,
        );
      };
    });
}

const nativeStyles = [
  "threshold",
  "signed",
  "output",
  "tool-outputs",
  "item",
  "non-standard",
  "failed",
  "unknown",
] as const;
type NativeStyle = Exclude<(typeof nativeStyles)[number], "signed">;

const signed = (block: number): Draft => ({
  kind: "ai",
  build: (id) => {
    const fields = { encrypted_content: `gAAA${block}`, signature: `sig${block}`, tool_changes: [] };
    const content = [{ type: "compaction", content: `Summary ${block}.`, ...fields }];
    return new AIMessage({ ...idField(id), content });
  },
});

function withNative(message: BaseMessage, style: NativeStyle, block: number): BaseMessage {
  const item = { id: `cmp_${block}`, type: "compaction", encrypted_content: `gAAA${block}` };
  const { additional_kwargs: kwargs, response_metadata: metadata } = message;
  const output = [item, ...((metadata["output"] as object[] | undefined) ?? [])];
  const inContent = (first: object) => ({ content: [first, ...contentBlocks(message)] });
  const changes = {
    threshold: inContent({ type: "compaction", content: `Summary ${block}.` }),
    output: { response_metadata: { ...metadata, output } },
    "tool-outputs": { additional_kwargs: { ...kwargs, tool_outputs: [item] } },
    item: inContent(item),
    "non-standard": inContent({ type: "non_standard", value: item }),
    failed: inContent({ type: "compaction", content: null }),
    unknown: inContent({ type: "compaction_2027", content: `Summary ${block}.` }),
  }[style];
  return copyMessage(message, changes);
}

const orphan: Draft = {
  kind: "result",
  build: (id) => new ToolMessage({ ...idField(id), content: "whose am I?", tool_call_id: "nobody" }),
};
const system: Draft = {
  kind: "system",
  build: (id) => new SystemMessage({ ...idField(id), content: "One more rule: answer in English." }),
};
const foreign: Draft = {
  kind: "foreign",
  build: (id) => new ForeignMessage({ ...idField(id), content: "a host's own kind of message" }),
};

function insert(at: number, draft: Draft): Oddity {
  return (drafts) => drafts.toSpliced(at % (drafts.length + 1), 0, draft);
}

function moveResult(at: number, by: number): Oddity {
  return (drafts) => {
    const from = resultAt(drafts, at);
    const draft = drafts[from];
    return draft === undefined ? drafts : drafts.toSpliced(from, 1).toSpliced(from + by, 0, draft);
  };
}

function dropResult(at: number): Oddity {
  return (drafts) => {
    const from = resultAt(drafts, at);
    return from < 0 ? drafts : drafts.toSpliced(from, 1);
  };
}

/** Returns the index of the `at`-th result, modulo their number; -1 without results. */
function resultAt(drafts: readonly Draft[], at: number): number {
  const results = drafts.flatMap(({ kind }, index) => (kind === "result" ? [index] : []));
  return results[at % Math.max(1, results.length)] ?? -1;
}
