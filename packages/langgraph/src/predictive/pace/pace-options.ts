import type { EmbeddingsInterface } from "@langchain/core/embeddings";
import { ContextError } from "@palimpsest/context";
import { requireNotNegative, requirePositive } from "@palimpsest/context/internal";
import { paceDefaults, type PaceThresholds } from "@palimpsest/context/selection";

/** Options of `policy: "pace"`. Another policy checks them and ignores them. */
export interface PaceOptions {
  /** Encoder of steps and queries. @default hashed words, without a model */
  readonly embeddings?: EmbeddingsInterface;
  /**
   * Name of the encoder in the stored vectors. Change it if the encoder changes while its class and its `model` stay the same.
   * @default the class name and the `model` of `embeddings`
   */
  readonly encoderId?: string;
  /** Milliseconds that a step waits for the encoder, at most; the rest is encoded in the background. @default 1,000 */
  readonly encoderTimeoutMs?: number;
  /** Texts of one call of the encoder. @default 8 */
  readonly encoderBatch?: number;
  /** Characters of a text that are encoded, L_max. @default 8,000 */
  readonly encodedCharacters?: number;
  /** Steps of a task, T_max: the pressure is 1 from this step on. @default 100 */
  readonly maxSteps?: number;
  /** Temperature of the weights, tau: lower values spread the weights. @default 0.3 */
  readonly temperature?: number;
  /** How much pressure raises the thresholds, lambda; 0 or more. @default 0.5 */
  readonly pressureGain?: number;
  /** Relative weights above which a step is brief, detailed, full: alpha, beta, gamma, ascending. @default 0.4, 0.8, 1.5 */
  readonly thresholds?: PaceThresholds;
  /** Characters of a step that is shortened without a model. @default 1,600 detailed, 260 brief */
  readonly formCharacters?: FormCharacters;
  /** Newest steps that get a level; older ones are in the archive alone. @default 4,096 */
  readonly candidateSteps?: number;
}

/** Characters of the shorter forms of a step. */
export interface FormCharacters {
  readonly detailed: number;
  readonly brief: number;
}

/** Options with every default filled in. */
export interface ResolvedPace extends PaceOptions {
  readonly encoderId: string;
  readonly encoderTimeoutMs: number;
  readonly encoderBatch: number;
  readonly encodedCharacters: number;
  readonly maxSteps: number;
  readonly temperature: number;
  readonly pressureGain: number;
  readonly thresholds: PaceThresholds;
  readonly formCharacters: FormCharacters;
  readonly candidateSteps: number;
}

/** Defaults of the options that the paper does not define; the others are `paceDefaults`. */
const ownDefaults = {
  encoderTimeoutMs: 1_000,
  encoderBatch: 8,
  formCharacters: { detailed: 1_600, brief: 260 },
  candidateSteps: 4_096,
};

/**
 * Returns the options with their defaults, or refuses them.
 *
 * @throws ContextError `bad-option`, naming the value and the way out.
 */
export function resolvePace(options: PaceOptions): ResolvedPace {
  const { encoderTimeoutMs = ownDefaults.encoderTimeoutMs, encoderBatch = ownDefaults.encoderBatch } =
    options;
  const { encodedCharacters = paceDefaults.encodedCharacters, maxSteps = paceDefaults.maxSteps } = options;
  const { temperature = paceDefaults.temperature, pressureGain = paceDefaults.pressureGain } = options;
  const { thresholds = paceDefaults.thresholds, formCharacters = ownDefaults.formCharacters } = options;
  const { candidateSteps = ownDefaults.candidateSteps, encoderId = encoderName(options.embeddings) } =
    options;
  const positive = { encoderTimeoutMs, maxSteps, temperature };
  for (const [name, value] of Object.entries(positive)) requirePositive(name, value);
  requireWhole("encoderBatch", encoderBatch);
  requireWhole("encodedCharacters", encodedCharacters);
  requireWhole("candidateSteps", candidateSteps);
  requireNotNegative("pressureGain", pressureGain);
  requireAscending("thresholds", thresholds, ["brief", "detailed", "full"]);
  requireAscending("formCharacters", formCharacters, ["brief", "detailed"]);
  if (typeof encoderId !== "string" || encoderId === "")
    throw bad("encoderId", JSON.stringify(encoderId), "use a name for the encoder, such as its model");
  const { embeddings } = options;
  if (embeddings !== undefined && typeof embeddings.embedDocuments !== "function")
    throw bad(
      "embeddings",
      typeof embeddings === "string" ? JSON.stringify(embeddings) : typeof embeddings,
      "use an encoder of LangChain, with embedDocuments",
    );
  return {
    ...options,
    ...positive,
    encoderId,
    encoderBatch,
    encodedCharacters,
    pressureGain,
    thresholds,
    formCharacters,
    candidateSteps,
  };
}

/** Refuses a number that is not a whole number above 0. @throws ContextError `bad-option` */
export function requireWhole(name: string, value: number): void {
  if (!(Number.isInteger(value) && value > 0)) throw bad(name, String(value), "use a whole number above 0");
}

function requireAscending<Name extends string>(
  option: string,
  values: Readonly<Record<Name, number>>,
  names: readonly Name[],
): void {
  const numbers = names.map((name) => values[name]);
  if (numbers.every((value, at) => Number.isFinite(value) && value > 0 && value >= (numbers[at - 1] ?? 0)))
    return;
  throw bad(option, JSON.stringify(values), `use numbers above 0, ${names.join(" <= ")}`);
}

function encoderName(embeddings: EmbeddingsInterface | undefined): string {
  if (embeddings === undefined) return "words";
  const { model, modelName } = embeddings as { readonly model?: unknown; readonly modelName?: unknown };
  const name = typeof model === "string" ? model : typeof modelName === "string" ? modelName : "";
  return `${embeddings.constructor.name}:${name}`;
}

function bad(option: string, value: string, way: string): ContextError {
  return new ContextError("bad-option", `${option} is ${value}: ${way}`);
}
