import type { MessageLine } from "../messages/message-lines.js";

/** An item of a plan, as it was written last. */
export interface PlanItem {
  /** Its words, without bullet, number and box: by them a newer version of the item is recognized. */
  readonly words: string;
  /** The whole line, trimmed. */
  readonly line: string;
  /** Its box is ticked. */
  readonly isDone: boolean;
}

/** The newest plan of a thread, and numbered lists that become the plan once a later message takes up an item. */
export interface PlanList {
  readonly items: readonly PlanItem[];
  readonly candidates: readonly (readonly PlanItem[])[];
}

export const noPlan: PlanList = { items: [], candidates: [] };

/** Returns the plan that a summary shows, as `shownItems` chose it. Pure. */
export function planOf(lines: readonly string[]): PlanList {
  const items = lines.flatMap((line) => {
    const [box] = boxOf(line);
    const [, , words] = numbered.exec(line) ?? [];
    return box ?? (words === undefined ? [] : { words, line, isDone: false });
  });
  return { items, candidates: [] };
}

/** Returns those of the lines of a plan that {@link shownItems} shows. Pure. */
export function planThatFits(lines: readonly string[], characters: number): readonly string[] {
  return shownItems(planOf(lines), characters).map(({ line }) => line);
}

/** Characters of a plan that stay in sight, at most. */
export const planCharacters = 4_000;

/** Returns the lines with a check-box that the agent or the user wrote: a plan, or a part of one. Pure. */
export function boxLines(lines: readonly Pick<MessageLine, "text" | "role">[]): readonly string[] {
  return ownLines(lines).flatMap((line) => boxOf(line).map((item) => item.line));
}

/**
 * Returns the lines of the plan that parts of it make together, each item as the last part has it; all lines where the parts have no
 * plan. Pure.
 */
export function joinPlans(
  parts: readonly (readonly string[])[],
  characters: number = planCharacters,
): readonly string[] {
  const plan = parts
    .map((part) => part.map((text) => ({ text, role: "prose" as const })))
    .reduce(readPlan, noPlan);
  return plan.items.length > 0
    ? shownItems(plan, characters).map(({ line }) => line)
    : planThatFits(parts.flat(), characters);
}

/** Lines that make a list, items that are read of one, and numbered lists that wait to be taken up. */
const sizes = { least: 3, items: 100, candidates: 4 };
/** Lines of a message that are read. */
const maxLines = 2_000;
/** Characters of an item: a shorter one is taken up by chance, a longer one is prose. */
const taken = { least: 20, most: 60 };
const longest = 400;

const boxed = /^(?:[-*+•]|\d{1,3}[.)])?\s*\[([ xX~-]?)\]\s+(\S.*)$/;
const numbered = /^(\d{1,3})[.)]\s+(\S.*)$/;

/**
 * Returns the plan after a message: the newest version of the list of check-boxes that the agent or the user wrote, in text or in the
 * arguments of a call, or of a numbered list that a later message repeats an item of. The old side of an edit and results say nothing.
 *
 * Pure, O(characters). An item that is written again replaces its earlier version; a list that shares no item with the plan replaces the
 * plan where it has an open item.
 */
export function readPlan(plan: PlanList, lines: readonly Pick<MessageLine, "text" | "role">[]): PlanList {
  const texts = ownLines(lines);
  if (texts.length === 0) return plan;
  const boxes = texts.flatMap(boxOf).slice(0, sizes.items);
  if (boxes.length > 0) return { ...plan, items: newerOf(plan.items, boxes) };
  const said = ownLines(lines.filter(({ role }) => role === "user" || role === "prose"));
  const lists = numberedLists(said);
  const waiting = [...plan.candidates, ...lists].slice(-sizes.candidates);
  const isOpen = plan.items.some(({ isDone, line }) => !isDone && boxed.test(line));
  // A message with a list of its own repeats one rather than takes it up.
  const found =
    isOpen || lists.length > 0
      ? undefined
      : plan.candidates.findLast((list) => list.some((item) => isIn(item, texts)));
  if (found === undefined)
    return waiting.length === plan.candidates.length ? plan : { ...plan, candidates: waiting };
  return { items: found, candidates: waiting.filter((list) => list !== found) };
}

/** Returns what the agent or the user wrote, trimmed: no result, and not what an edit removes. */
function ownLines(lines: readonly Pick<MessageLine, "text" | "role">[]): readonly string[] {
  return lines
    .slice(0, maxLines)
    .flatMap(({ role, text }) =>
      role === "result" || role === "old" || text.length > longest ? [] : text.trim(),
    );
}

function boxOf(line: string): readonly PlanItem[] {
  const [, mark = "", words] = boxed.exec(line) ?? [];
  return words === undefined ? [] : [{ words, line, isDone: /[xX]/.test(mark) }];
}

function newerOf(items: readonly PlanItem[], written: readonly PlanItem[]): readonly PlanItem[] {
  const newer = new Map(written.map((item) => [item.words, item]));
  const isNewVersion = items.some(({ words }) => newer.has(words));
  const isWhole = written.length >= Math.max(sizes.least, items.length / 2);
  if (isWhole && (isNewVersion || written.some(({ isDone }) => !isDone))) return [...newer.values()];
  if (!isNewVersion) return items;
  const known = new Set(items.map(({ words }) => words));
  // A new item stands behind the one that it is written behind.
  const merged: PlanItem[] = items.map((item) => newer.get(item.words) ?? item);
  written.forEach((item, at) => {
    if (known.has(item.words)) return;
    known.add(item.words);
    const before = merged.findIndex(({ words }) => words === written[at - 1]?.words);
    merged.splice(before < 0 ? merged.length : before + 1, 0, item);
  });
  return merged.slice(-sizes.items);
}

/** Returns the lists whose numbers run from 1 on. Lines between two numbers belong to the first. */
function numberedLists(lines: readonly string[]): readonly (readonly PlanItem[])[] {
  const lists: PlanItem[][] = [];
  for (const line of lines) {
    const [, number, words] = numbered.exec(line) ?? [];
    if (words === undefined) continue;
    const last = lists.at(-1);
    const item = { words, line, isDone: false };
    if (number === "1") lists.push([item]);
    else if (last !== undefined && Number(number) === last.length + 1) last.push(item);
  }
  return lists.filter(({ length }) => length >= sizes.least && length <= sizes.items);
}

/** A line takes up an item where it has its first words, as a name of the step or as the item itself. */
function isIn({ words }: PlanItem, lines: readonly string[]): boolean {
  const start = words.slice(0, taken.most);
  return start.length >= taken.least && lines.some((line) => line.includes(start));
}

/**
 * Returns the items to show in at most `characters`, in their order: open ones first, from the top, then those that are done, from the
 * end. Pure.
 */
export function shownItems({ items }: PlanList, characters: number): readonly PlanItem[] {
  let left = characters;
  const fits = ({ line }: PlanItem) => (left -= line.length) >= 0;
  const open = items.filter(({ isDone }) => !isDone).filter(fits);
  const done = items
    .filter(({ isDone }) => isDone)
    .toReversed()
    .filter(fits);
  const shown = new Set([...open, ...done]);
  return items.filter((item) => shown.has(item));
}

const noItems: ReadonlySet<string> = new Set();

/** Returns the lines of the items that a message has written or written again. Pure. */
export function newItems(plan: PlanList, before: PlanList): ReadonlySet<string> {
  if (plan.items === before.items) return noItems;
  const known = new Set(before.items);
  return new Set(plan.items.flatMap((item) => (known.has(item) ? [] : item.line)));
}
