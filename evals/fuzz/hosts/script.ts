import * as fc from "fast-check";

/** Lengths of a text, in shares of the window. */
export type Size = "small" | "medium" | "large" | "huge";

/** One call of the model: it asks for results of these sizes, or answers the user when there are none. */
export interface ModelStep {
  readonly calls: readonly Size[];
  readonly thinking: boolean;
  /** What the provider answers to the first attempt. */
  readonly error?: "down" | "overflow" | undefined;
}

/** What a client, a host or an operator does to a thread. */
export type Move =
  | {
      readonly kind: "turn";
      readonly text: Size;
      readonly steps: readonly ModelStep[];
      /** The client sends the whole history, as it knows it, with its message. */
      readonly resend: boolean;
      /** No write to the archive succeeds during the turn. */
      readonly outage: boolean;
      /** The run is interrupted before each round of tools, and resumed. */
      readonly pause: boolean;
    }
  | { readonly kind: "edit" | "remove" | "insert"; readonly at: number }
  /** Goes on from the checkpoint after an earlier turn. */
  | { readonly kind: "fork"; readonly at: number };

/** How messages are pinned. */
export type Pinning = "none" | "predicate" | "user" | "mark" | "tools" | "files";

export interface Settings {
  readonly window: number;
  readonly pins: Pinning;
  readonly hasSystem: boolean;
  readonly reportsUsage: boolean;
  readonly summaries: "extracted" | "written";
}

export interface Script {
  readonly settings: Settings;
  readonly moves: readonly Move[];
}

const size = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Size>("small") },
  { weight: 5, arbitrary: fc.constant<Size>("medium") },
  { weight: 2, arbitrary: fc.constant<Size>("large") },
);
const rarely = (one: number) => fc.integer({ min: 1, max: one }).map((value) => value === one);

const calling = fc.record({
  calls: fc.array(size, { minLength: 1, maxLength: 3 }),
  thinking: fc.boolean(),
  error: fc.oneof(
    { weight: 12, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom("down" as const, "overflow" as const) },
  ),
});
const answering = calling.map(({ thinking, error }) => ({ calls: [], thinking, error }));

const turn: fc.Arbitrary<Move> = fc
  .record({
    text: fc.oneof({ weight: 12, arbitrary: size }, { weight: 1, arbitrary: fc.constant<Size>("huge") }),
    rounds: fc.array(calling, { maxLength: 5 }),
    answer: answering,
    resend: rarely(8),
    outage: rarely(16),
    pause: rarely(8),
  })
  .map(({ rounds, answer, ...rest }) => ({ kind: "turn", ...rest, steps: [...rounds, answer] }));

const change: fc.Arbitrary<Move> = fc.record({
  kind: fc.constantFrom("edit", "remove", "insert"),
  at: fc.nat({ max: 999 }),
});
const fork: fc.Arbitrary<Move> = fc.record({ kind: fc.constant("fork"), at: fc.nat({ max: 999 }) });

const settings: fc.Arbitrary<Settings> = fc.record({
  window: fc.constantFrom(1_500, 3_000),
  pins: fc.constantFrom<Pinning>("none", "none", "none", "predicate", "user", "mark", "tools", "files"),
  hasSystem: rarely(3),
  reportsUsage: fc.boolean(),
  summaries: fc.constantFrom("extracted", "written"),
});

/** Returns scripts, each of which begins with a turn. */
export const scriptArbitrary: fc.Arbitrary<Script> = fc
  .record({
    settings,
    first: turn,
    moves: fc.array(
      fc.oneof(
        { weight: 8, arbitrary: turn },
        { weight: 3, arbitrary: change },
        { weight: 1, arbitrary: fork },
      ),
      { minLength: 2, maxLength: 12 },
    ),
  })
  .map(({ first, moves, ...rest }) => ({ ...rest, moves: [first, ...moves] }));
