import { parts, reportHtml } from "@palimpsest/inspector";

const window = 200_000;

/** Returns a page with the timeline of so many steps in it, as a report: one message, and figures that rise and fall. */
export function wideReport(steps) {
  const rows = Array.from({ length: steps }, (_, step) => rowOf(step));
  const message = { id: "m", place: 0, type: "human", name: null, text: "Go.", characters: 3, reasoning: "" };
  const places = { places: [0], happened: 1 };
  const thread = "timeline";
  return reportHtml({
    thread: { thread, newest: new Date(steps * 1_000).toISOString() },
    size: { checkpoints: steps, folds: 0, archiveFiles: 0, archiveBytes: 0 },
    window,
    rows,
    messages: [{ ...message, calls: [], isFailed: false, tokens: 3, part: "user", fold: null }],
    files: [],
    steps: rows.map(() => ({ context: [0], places, files: [], prompt: null })),
    prompts: {},
    happened: [0],
    texts: {},
    opened: {},
    sights: {},
    whys: [],
    rework: [],
    usage: [],
    savings: { ...noSavings, bill: [], billUnfolded: [] },
    agents: [],
    lanes: [],
    runs: {},
  });
}

const noSavings = {
  calls: 0,
  sent: 0,
  unfolded: 0,
  largest: 0,
  largestUnfolded: 0,
  overflow: null,
  rewrites: 0,
  rewritten: 0,
};

/** Every 60th step is a compaction. */
function rowOf(step) {
  const age = step % 60;
  const tokens = parts.map((_, part) =>
    Math.round((age * 2_500 * (1 + Math.sin(part + step / 97))) / parts.length),
  );
  const prompt = tokens.reduce((sum, count) => sum + count, 0);
  const reported = {
    model: "bench",
    calls: 1,
    input: prompt,
    cached: prompt >> 1,
    cacheWrites: 0,
    output: 40,
  };
  const fold = {
    id: `f${step}`,
    kind: "summary",
    reason: "trigger",
    messages: 50,
    before: 150_000,
    after: 900,
  };
  return {
    id: `${step}-0`,
    step,
    at: new Date(step * 1_000).toISOString(),
    tokens,
    messages: 10 + age,
    unchanged: age === 0 ? 1 : 9 + age,
    unchangedTokens: prompt >> 1,
    isEpoch: age === 0,
    folds: age === 0 ? [{ ...fold, path: "/context/history/x.md", usage: null }] : [],
    opened: [],
    faults: [],
    calls: [
      { id: `a${step}`, sent: 9 + age, tokens, reported, prompt, isBare: false, reply: 40, counted: prompt },
    ],
    label: `assistant → read_page: step ${step}`,
  };
}
