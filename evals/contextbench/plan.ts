import type { FileName } from "./corpus.js";

/** A number, or a text that sorts, that a person has: how many records, or what one field of them comes to. */
export type Metric =
  | { readonly of: "count"; readonly files: readonly FileName[] }
  | {
      readonly of: "sum" | "largest" | "smallest";
      readonly file: FileName;
      readonly field: string;
    };

/** Who comes first by a metric. */
export interface Ranking {
  readonly metric: Metric;
  readonly first: "largest" | "smallest";
}

/** How "the same state" is meant for somebody with addresses in several, by all or by the first of the file: no question says. */
export type Reading = "all" | "first";

/** What all people of a group have in common: a value that the owner of a record has, a given value, a number of records. */
export type Filter =
  | {
      readonly by: "same";
      readonly file: FileName;
      readonly field: string;
      /** The record, by a value that only it has. */
      readonly as: { readonly file: FileName; readonly field: string; readonly value: string };
      readonly reading: Reading;
    }
  | { readonly by: "value"; readonly file: FileName; readonly field: string; readonly value: string }
  | { readonly by: "count"; readonly file: FileName; readonly least: number; readonly most: number };

/** The first people of a group, by rankings of which each breaks the ties of the one before. */
export interface Choice {
  readonly filters: readonly Filter[];
  readonly rankings: readonly Ranking[];
  readonly count: number;
}

/** What a question asks, as the steps that answer it. */
export interface Plan {
  /** One, or two that are compared. */
  readonly choices: readonly Choice[];
  /** Decides between two choices. */
  readonly between: readonly Ranking[];
  readonly asks: Metric | "name";
}
