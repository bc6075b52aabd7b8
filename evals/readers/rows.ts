import type { PlayedChat } from "./play-chat.js";

/** A chat of which a share is compacted by a system. */
export interface Row {
  readonly chat: string;
  readonly share: number;
  readonly system: string;
  readonly played: PlayedChat;
}

/** Returns the share that is true; 0 for an empty list. */
export function shareOf(values: readonly boolean[] = []): number {
  return values.filter(Boolean).length / Math.max(1, values.length);
}

/** Returns for how many facts the evidence stands in the context or in the answer of one search, as a share. */
export function reachedBy({ played }: Row, search: string): number {
  return shareOf(played.inSight.map((isInSight, at) => isInSight || played.found[search]?.[at] === true));
}
