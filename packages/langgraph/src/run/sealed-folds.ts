import type { BaseMessage } from "@langchain/core/messages";
import { foldOf, type Fold, type ReadArchive } from "@palimpsest/context";
import {
  foldsIn,
  reconcile,
  refuseFold,
  sealedText,
  soundMessages,
  standIn,
} from "@palimpsest/context/internal";
import type { SealPurpose, Signer, ThreadSeal } from "@palimpsest/vfs/internal";

/** Genuine stand-ins with the seal of their thread: the steps of a run see the same objects. */
const verified = new WeakMap<BaseMessage, ThreadSeal["id"]>();

function purposeOf({ held }: Fold): SealPurpose {
  return held === undefined ? "fold" : "held";
}

/**
 * Returns the messages without forged folds, which no node of this thread has created, or not for these words: such a message
 * becomes an ordinary one and keeps its text. Returns the same list if there are none.
 *
 * Every list that a client may have sent passes through here before its folds are read.
 * @throws the driver's error if a key has to be read and that fails.
 */
export async function admitFolds(
  given: readonly BaseMessage[],
  seal: ThreadSeal,
): Promise<readonly BaseMessage[]> {
  const messages = soundMessages(given);
  let admitted: BaseMessage[] | undefined;
  for (const { index, value: fold } of foldsIn(messages)) {
    const message = messages[index];
    if (message === undefined || verified.get(message) === seal.id) continue;
    if (await seal.verify(purposeOf(fold), sealedText(message), fold.seal)) {
      verified.set(message, seal.id);
      continue;
    }
    admitted ??= [...messages];
    admitted[index] = refuseFold(message);
  }
  return admitted ?? messages;
}

/**
 * Returns the messages of a state without forged folds, and without what a summary among them covers, like a step finds them.
 * `read` reads the archive of the thread.
 * @throws like {@link admitFolds} and `reconcile`.
 */
export async function genuineMessages(
  messages: readonly BaseMessage[],
  seal: ThreadSeal,
  read: ReadArchive,
): Promise<readonly BaseMessage[]> {
  return reconcile(await admitFolds(messages, seal), read);
}

function isUnsealed(message: BaseMessage): boolean {
  const fold = foldOf(message);
  return fold !== undefined && fold.seal === undefined;
}

/** Returns the message with its fold unsealed, for a fold that is genuine by other evidence. */
export function withoutSeal(message: BaseMessage): BaseMessage {
  const fold = foldOf(message);
  if (fold?.seal === undefined) return message;
  const { seal: _, ...unsealed } = fold;
  return standIn(message, unsealed, {});
}

/** Messages with sealed folds, and these folds in the order of the list that was passed. */
export interface SealedFolds {
  readonly messages: readonly BaseMessage[];
  readonly folds: readonly Fold[];
}

/**
 * Returns the messages with a seal on every fold that has none. `folds` lists the folds to return. With `isDown`, the key of the
 * thread need not be stored.
 *
 * A host that applies passes of `@palimpsest/context` itself calls it with `files.seal(threadId)` before it puts the messages
 * into state: nodes, tools and thread functions treat an unsealed fold as forged.
 */
export async function sealFolds(
  { messages, folds }: SealedFolds,
  seal: ThreadSeal,
  { isDown = false } = {},
): Promise<SealedFolds> {
  if (!messages.some(isUnsealed)) return { messages, folds };
  const holds = messages.some((message) => foldOf(message)?.held !== undefined);
  const sign: Signer = await (holds || isDown ? seal.signerInMemory() : seal.signer());
  const sealed = new Map<Fold, Fold>();
  const signed = messages.map((message) => {
    const fold = foldOf(message);
    if (fold === undefined || fold.seal !== undefined) return message;
    const own = { ...fold, seal: sign(purposeOf(fold), sealedText(message)) };
    sealed.set(fold, own);
    const signedMessage = standIn(message, own, {});
    verified.set(signedMessage, seal.id);
    return signedMessage;
  });
  return { messages: signed, folds: folds.map((fold) => sealed.get(fold) ?? fold) };
}
