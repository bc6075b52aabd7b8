import type { Engine, OnDamage, ThreadRange } from "../engine.js";

/** Returns the ids of threads: all in any order, or those of a range in order. */
export async function threadsOf(
  engine: Engine,
  { onDamage, ...range }: ThreadRange & { readonly onDamage?: OnDamage },
): Promise<readonly string[]> {
  const isAll = Object.values(range).every((value) => value === undefined);
  if (isAll || onDamage !== undefined || !engine.threadsIn) {
    const all = await engine.threads(onDamage);
    return isAll ? all : within(all, range);
  }
  return engine.threadsIn(range);
}

/** Threads whose ids are asked for at once. */
export const threadsAtOnce = 256;

/**
 * Yields the ids of threads behind one in the order of their bytes, and asks for a page of them at a time: threads that are created
 * or deleted meanwhile move no others between pages. An engine without an index of ids is asked once for all of them. `atMost` is how
 * many are wanted.
 */
export async function* threadsBehind(
  engine: Pick<Engine, "threads" | "threadsIn">,
  { after, atMost = Infinity }: { readonly after?: string | undefined; readonly atMost?: number },
): AsyncGenerator<string> {
  if (!engine.threadsIn) {
    yield* within(await engine.threads(), { after });
    return;
  }
  let [last, left] = [after, atMost];
  while (left > 0) {
    const limit = Math.min(threadsAtOnce, left);
    const page = await engine.threadsIn({ after: last, limit });
    yield* page;
    if (page.length < limit) return;
    last = page.at(-1);
    left -= limit;
  }
}

function within(ids: readonly string[], { prefix = "", after, limit }: ThreadRange): string[] {
  const found = ids.filter((id) => id.startsWith(prefix) && (after === undefined || compare(id, after) > 0));
  return found.toSorted(compare).slice(0, limit);
}

function compare(a: string, b: string): number {
  return Buffer.compare(Buffer.from(a), Buffer.from(b));
}

const lastCharacter = 0x10_ff_ff;
/** The code points before and behind the surrogates, which no id has. */
const [beforeSurrogates, behindSurrogates] = [0xd7_ff, 0xe0_00];

/** Returns the first text that sorts behind every text with a prefix; undefined when there is none. Pure. */
export function behindPrefix(prefix: string): string | undefined {
  const points = Array.from(prefix, (character) => character.codePointAt(0) ?? 0);
  while (points.at(-1) === lastCharacter) points.pop();
  const last = points.pop();
  if (last === undefined) return undefined;
  return String.fromCodePoint(...points, last === beforeSurrogates ? behindSurrogates : last + 1);
}
