/** Effects that a process of the model is about to have. */
export const next = {
  idle: 0,
  readKey: 1,
  expectKey: 2,
  readKeyAgain: 3,
  storeKey: 4,
  chooseKey: 5,
  archive: 6,
  put: 7,
  beginCopy: 8,
  readSource: 9,
  copyValues: 10,
  listSource: 11,
  copyKeys: 12,
  copyFile: 13,
  copyCheckpoint: 14,
  checkSource: 15,
  endCopy: 16,
  deleteCheckpoints: 17,
  listDeleted: 18,
  deleteFile: 19,
  deleteKeys: 20,
} as const;

/** Steps that can be taken in all. A set of steps is a mask with a bit for each. */
export const steps = 4;
export const processes = 3;
/** The copy is made of the thread with id 0. */
export const [source, copy] = [0, 1];

/** Offsets in a state. A step names its value, its archive file, its fold and the key that it may create. */
const ofThread = 7;
const ofStep = 4;
const ofProcess = 10;
const firstStep = 2 * ofThread;
export const firstProcess = firstStep + steps * ofStep;
const budgets = firstProcess + processes * ofProcess;
export const stateBytes = budgets + 6;

/** A thread: masks of what is stored, and of acknowledged checkpoints. */
const threadAt = (thread: number) => ({
  checkpoints: ofThread * thread,
  files: ofThread * thread + 1,
  keys: ofThread * thread + 2,
  values: ofThread * thread + 3,
  acknowledged: ofThread * thread + 4,
  /** Changes when values are collected. */
  epoch: ofThread * thread + 5,
  /** A copy has begun and not ended. */
  copying: ofThread * thread + 6,
});

const stepAt = (step: number) => ({
  folds: firstStep + ofStep * step,
  values: firstStep + ofStep * step + 1,
  /** The key that seals the fold, as a step + 1. */
  key: firstStep + ofStep * step + 2,
  /** The thread that takes the step. */
  thread: firstStep + ofStep * step + 3,
});

/** What a process is about to do, and what it has read. */
const processAt = (process: number) => ({
  next: firstProcess + ofProcess * process,
  thread: firstProcess + ofProcess * process + 1,
  step: firstProcess + ofProcess * process + 2,
  folds: firstProcess + ofProcess * process + 3,
  values: firstProcess + ofProcess * process + 4,
  epoch: firstProcess + ofProcess * process + 5,
  key: firstProcess + ofProcess * process + 6,
  checkpoints: firstProcess + ofProcess * process + 7,
  files: firstProcess + ofProcess * process + 8,
  keys: firstProcess + ofProcess * process + 9,
});

export type ThreadAt = ReturnType<typeof threadAt>;
export type ProcessAt = ReturnType<typeof processAt>;
type StepAt = ReturnType<typeof stepAt>;

const tables = {
  threads: [source, copy].map(threadAt),
  steps: Array.from({ length: steps }, (_, step) => stepAt(step)),
  processes: Array.from({ length: processes }, (_, process) => processAt(process)),
};

export const at = {
  thread: (thread: number): ThreadAt => tables.threads[thread] as ThreadAt,
  step: (step: number): StepAt => tables.steps[step] as StepAt,
  process: (process: number): ProcessAt => tables.processes[process] as ProcessAt,
  taken: budgets,
  prunes: budgets + 1,
  copies: budgets + 2,
  deletions: budgets + 3,
  crashes: budgets + 4,
  /** A step was refused because its thread seemed to have lost its key. */
  refused: budgets + 5,
};

/** Processes are alike: states that differ in their order are one. */
export function sortProcesses(state: Uint8Array): void {
  for (let process = 1; process < processes; process++)
    for (let to = process; to > 0 && isBefore(state, to); to--) swap(state, to);
}

function isBefore(state: Uint8Array, process: number): boolean {
  const from = firstProcess + ofProcess * process;
  for (let index = from; index < from + ofProcess; index++) {
    const difference = (state[index] ?? 0) - (state[index - ofProcess] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

function swap(state: Uint8Array, process: number): void {
  const from = firstProcess + ofProcess * process;
  for (let index = from; index < from + ofProcess; index++) {
    const byte = state[index] ?? 0;
    state[index] = state[index - ofProcess] ?? 0;
    state[index - ofProcess] = byte;
  }
}
