/** A conversation that every agent could have had. The sessions of all formats are written from one. */
export interface Story {
  readonly id: string;
  readonly model: string;
  readonly steps: readonly StoryStep[];
}

export type StoryStep =
  | { readonly kind: "user"; readonly text: string }
  | {
      readonly kind: "agent";
      readonly text: string;
      readonly calls: readonly StoryCall[];
      readonly tokens: number;
    }
  | { readonly kind: "compaction"; readonly summary: string; readonly tokens: number };

export interface StoryCall {
  readonly id: string;
  readonly name: string;
  readonly args: Readonly<Record<string, unknown>>;
  readonly result: string;
  readonly isError: boolean;
}

export interface MadeStoryOptions {
  /** Reads of a file, each a step. @default 6 */
  readonly reads?: number;
  /** Lines of each file that is read. @default 5 */
  readonly lines?: number;
  /** A step of the story is a compaction. @default true */
  readonly isCompacted?: boolean;
}

/** A rule of the user that the summary does not state. */
export const lostRule = "Never edit config/prod.yaml.";
/** A rule of the user that the summary states. */
export const keptRule = "Always keep the old name as an alias until release 2.4.0.";
/** Text of one result that the summary does not state. */
export const needle = "heron token 48151623";

/** Returns the story of a rename in a small project: rules of the user, reads, a failed command, a compaction, the work after it. */
export function madeStory({ reads = 6, lines = 5, isCompacted = true }: MadeStoryOptions = {}): Story {
  const compaction: StoryStep = {
    kind: "compaction",
    summary: `The user renames the heron service. ${keptRule} The agent has read src/heron-0.ts.`,
    tokens: 155_000,
  };
  return {
    id: "5e551011-0000-4000-8000-000000000001",
    model: "made-model-1",
    steps: [
      { kind: "user", text: `Rename the heron service. ${lostRule} ${keptRule}` },
      ...Array.from({ length: reads }, (_, at) => readStep(at, lines)),
      agent("The tests come next.", [failedTests], 120_000),
      ...(isCompacted ? [compaction] : []),
      { kind: "user", text: "Go on, please." },
      agent("I read the first file again.", [{ ...readCall(0, lines), id: "call-again" }], 20_000),
      agent("The service has its new name.", [], 21_000),
    ],
  };
}

function agent(text: string, calls: readonly StoryCall[], tokens: number): StoryStep {
  return { kind: "agent", text, calls, tokens };
}

function readStep(at: number, lines: number): StoryStep {
  const second = {
    ...readCall(at, 1),
    id: `call-${at}-b`,
    name: "list_files",
    args: { path: `src/part-${at}` },
  };
  return agent(
    `I read file ${at}.`,
    at % 2 === 0 ? [readCall(at, lines), second] : [readCall(at, lines)],
    1_000 * (at + 1),
  );
}

function readCall(at: number, lines: number): StoryCall {
  const result = Array.from(
    { length: lines },
    (_, line) => `export const heron${at}_${line} = "${at * 1_000 + line}";`,
  );
  return {
    id: `call-${at}`,
    name: "read_file",
    args: { file_path: `src/heron-${at}.ts` },
    result: at === 1 ? `// ${needle}\n${result.join("\n")}` : result.join("\n"),
    isError: false,
  };
}

const failedTests: StoryCall = {
  id: "call-tests",
  name: "bash",
  args: { command: "npm test -- heron" },
  result: "Exit code 1\n1 test failed: heron keeps its alias",
  isError: true,
};
