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
  /** True if a model writes the shorter forms; else they are cut from the text. */
  readonly hasModel: boolean;
}

interface StepFacts {
  /** Vector of hashed words. */
  readonly words: SparseVector;
  /** Tokens at each level: those of the full text until the shorter forms are written. */
  readonly tokens: RepresentationTokens;
  /** Undefined until a model has written them. */
  readonly forms: StepForms | undefined;
}

/**
 * The facts of one thread's past steps for PACE. Like the memory that it belongs to, it is a cache.
 *
 * Reads a step once, when it is added, and keeps the newest `candidateSteps`.
 */
export class PaceMemory {
  readonly vectors = new StepVectors();
  readonly representations = new StepRepresentations();
  /** Texts by step that the last selection read from the archive. */
  readonly readTexts = new Map<number, string>();
  /** By step; undefined for a dropped step. */
  readonly #facts: (StepFacts | undefined)[] = [];
  readonly #options: PaceMemoryOptions;

  constructor(options: PaceMemoryOptions) {
    this.#options = options;
  }

  /** The first step that gets a level. */
  get first(): number {
    return Math.max(0, this.#facts.length - this.#options.pace.candidateSteps);
  }

  /** Adds a step. Its chunk must still have all lines. */
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
    return this.#facts[step]?.words ?? noWords;
  }

  /** Returns the shorter forms of a step; undefined until they are written. */
  formsOf(step: number): StepForms | undefined {
    return this.#factsOf(step)?.forms;
  }

  /** Returns the tokens of a step at each level: those of the full text until its shorter forms are written. */
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

const noWords = sparseVector(new Float32Array());
const noTokens: RepresentationTokens = { full: 0, detailed: 0, brief: 0 };

function factsOf(full: number, forms: StepForms | undefined) {
  const tokens = { full, detailed: forms?.detailed.tokens ?? full, brief: forms?.brief.tokens ?? full };
  return { tokens, forms };
}

/** Copies a slice: the slice itself would keep the whole string in memory. */
function detached(text: string): string {
  return Buffer.from(text, "utf16le").toString("utf16le");
}
