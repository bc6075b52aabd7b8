import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type Fold } from "@palimpsest/context";
import { foldsIn, refuseFold, sealedText, standIn } from "@palimpsest/context/internal";
import type { SealPurpose, Signer, ThreadSeal } from "@palimpsest/vfs/internal";

/** The folds that were found genuine, each with the seal of its thread: within a run a step meets the same objects again. */
const verified = new WeakMap<Fold, ThreadSeal["id"]>();

function purposeOf({ held }: Fold): SealPurpose {
  return held === undefined ? "fold" : "held";
}

/**
 * Returns the messages with every fold that no node of this thread has created refused: the message is an ordinary one
 * again, all its words are kept. Returns the same list when there is none.
 *
 * Every list that a client may have sent passes here before anything reads its folds.
 * @throws what the driver throws where a key has to be read.
 */
export async function admitFolds(
  messages: readonly BaseMessage[],
  seal: ThreadSeal,
): Promise<readonly BaseMessage[]> {
  let admitted: BaseMessage[] | undefined;
  for (const { index, value: fold } of foldsIn(messages)) {
    const message = messages[index];
    if (message === undefined || verified.get(fold) === seal.id) continue;
    if (await seal.verify(purposeOf(fold), sealedText(fold), fold.seal)) {
      verified.set(fold, seal.id);
      continue;
    }
    admitted ??= [...messages];
    admitted[index] = refuseFold(message);
  }
  return admitted ?? messages;
}

function isUnsealed(message: BaseMessage): boolean {
  const fold = foldOf(message);
  return fold !== undefined && fold.seal === undefined;
}

/** Messages with their new folds sealed, and the same folds in the order of the list that was passed. */
export interface SealedFolds {
  readonly messages: readonly BaseMessage[];
  readonly folds: readonly Fold[];
}

/**
 * Returns the messages with a seal on every fold that has none; `folds` are those of their folds that are listed.
 *
 * A host that applies passes of `@palimpsest/context` itself calls it with `files.seal(threadId)` before it puts the messages
 * into state: nodes, tools and thread functions take an unsealed fold for a forged one.
 */
export async function sealFolds({ messages, folds }: SealedFolds, seal: ThreadSeal): Promise<SealedFolds> {
  if (!messages.some(isUnsealed)) return { messages, folds };
  const holds = messages.some((message) => foldOf(message)?.held !== undefined);
  const sign: Signer = await (holds ? seal.signerInMemory() : seal.signer());
  const sealed = new Map<Fold, Fold>();
  const signed = messages.map((message) => {
    const fold = foldOf(message);
    if (fold === undefined || fold.seal !== undefined) return message;
    const own = { ...fold, seal: sign(purposeOf(fold), sealedText(fold)) };
    verified.set(own, seal.id);
    sealed.set(fold, own);
    return standIn(message, own, {});
  });
  return { messages: signed, folds: folds.map((fold) => sealed.get(fold) ?? fold) };
}
