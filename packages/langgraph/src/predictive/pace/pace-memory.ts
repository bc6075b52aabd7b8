import { type TokenCounter } from "@palimpsest/context";
import {
  hashVector,
  linesText,
  sparseVector,
  unitVector,
  type IndexedChunk,
  type RepresentationTokens,
  type SparseVector,
} from "@palimpsest/context/selection";
import type { ResolvedPace } from "./pace-options.js";
import { StepRepresentations, shortForm, textTokens, type StepForms } from "./step-representations.js";
import { StepVectors } from "./step-vectors.js";

export interface PaceMemoryOptions {
  readonly pace: ResolvedPace;
  readonly count: TokenCounter;
  /** The shorter forms are written by a model, and not cut from the step. */
  readonly hasModel: boolean;
}

interface StepFacts {
  /** The vector of hashed words. */
  readonly words: SparseVector;
  /** Until the shorter forms are written, those of the whole content. */
  readonly tokens: RepresentationTokens;
  /** Undefined where a model writes them. */
  readonly forms: StepForms | undefined;
}

/**
 * What PACE knows of the past steps of one thread. A step is read once, when it is added; the oldest beyond `candidateSteps`
 * are dropped. A cache, like the memory of the thread that it is a part of.
 */
export class PaceMemory {
  readonly vectors = new StepVectors();
  readonly representations = new StepRepresentations();
  /** Whole texts that the last selection read from the archive, by step. */
  readonly readTexts = new Map<number, string>();
  /** By step; those that are dropped are undefined. */
  readonly #facts: (StepFacts | undefined)[] = [];
  readonly #options: PaceMemoryOptions;

  constructor(options: PaceMemoryOptions) {
    this.#options = options;
  }

  /** The first of the newest steps that are given a level. */
  get first(): number {
    return Math.max(0, this.#facts.length - this.#options.pace.candidateSteps);
  }

  /** Adds a step with all of its lines. */
  add(chunk: IndexedChunk): void {
    const { pace, count, hasModel } = this.#options;
    const text = linesText(chunk, 0, chunk.lines.length);
    const step = chunk.index;
    const encoded = detached(text.slice(0, pace.encodedCharacters));
    const form = (level: "detailed" | "brief") => {
      const short = detached(shortForm(text, level, pace.formCharacters));
      return { text: short, tokens: textTokens(short, count) };
    };
    this.#facts[step] = {
      words: sparseVector(unitVector(hashVector(encoded))),
      ...factsOf(
        textTokens(text, count),
        hasModel ? undefined : { detailed: form("detailed"), brief: form("brief") },
      ),
    };
    if (hasModel) this.representations.add(step);
    if (pace.embeddings !== undefined && encoded !== "") this.vectors.add(step, encoded);
    this.#drop(step - pace.candidateSteps);
  }

  /** Returns the vector of a step's hashed words. */
  wordsOf(step: number): SparseVector {
    return this.#facts[step]?.words ?? nothing;
  }

  /** Returns the shorter forms of a step; undefined while a model has not written them. */
  formsOf(step: number): StepForms | undefined {
    return this.#factsOf(step)?.forms;
  }

  /** Returns the tokens of a step at each level. Until its shorter forms are written, these are the whole content. */
  tokensOf(step: number): RepresentationTokens {
    return this.#factsOf(step)?.tokens ?? noTokens;
  }

  #factsOf(step: number): StepFacts | undefined {
    const facts = this.#facts[step];
    if (facts === undefined || facts.forms !== undefined) return facts;
    const forms = this.representations.take(step);
    if (forms === undefined) return facts;
    const written = { words: facts.words, ...factsOf(facts.tokens.full, forms) };
    this.#facts[step] = written;
    return written;
  }

  #drop(step: number): void {
    if (step < 0) return;
    this.#facts[step] = undefined;
    this.vectors.forget(step);
    this.representations.forget(step);
  }
}

const nothing = sparseVector(new Float32Array());
const noTokens: RepresentationTokens = { full: 0, detailed: 0, brief: 0 };

function factsOf(full: number, forms: StepForms | undefined) {
  const tokens = { full, detailed: forms?.detailed.tokens ?? full, brief: forms?.brief.tokens ?? full };
  return { tokens, forms };
}

/** A slice of a long string keeps all of it in memory; a copy does not. */
function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
