/** Recall of all atoms at 4k, 8k, 16k and 32k tokens. */
type AtBudgets = readonly [number, number, number, number];

/** Earlier measurements of the baselines on public copies of recorded sets: what this harness must reproduce. */
export interface PublishedSet {
  /** Runs and steps with needs of the copy; on another the values do not apply. */
  readonly runs: number;
  readonly steps: number;
  readonly budgeted: Readonly<Record<string, AtBudgets>>;
  readonly unbudgeted: Readonly<Record<string, number>>;
}

export const publishedBudgets = [4_000, 8_000, 16_000, 32_000] as const;

export const published: Readonly<Record<string, PublishedSet>> = {
  "claude-code-sessions": {
    runs: 3,
    steps: 349,
    budgeted: {
      recency: [0.762, 0.836, 0.907, 0.955],
      "random (control)": [0.729, 0.8, 0.851, 0.937],
      BM25: [0.718, 0.796, 0.863, 0.938],
      "tf-idf cosine": [0.735, 0.808, 0.878, 0.949],
      "recency/2 + BM25/2": [0.765, 0.841, 0.908, 0.965],
      "oracle (ceiling)": [0.901, 0.966, 0.986, 1],
    },
    unbudgeted: { "drop tool results": 0.827, "mask M = 10": 0.966, "last 10 steps": 0.788 },
  },
  "pi-sessions": {
    runs: 1,
    steps: 351,
    budgeted: {
      recency: [0.861, 0.894, 0.934, 0.962],
      "random (control)": [0.719, 0.783, 0.853, 0.922],
      BM25: [0.818, 0.883, 0.911, 0.957],
      "tf-idf cosine": [0.845, 0.896, 0.938, 0.973],
      "recency/2 + BM25/2": [0.862, 0.913, 0.95, 0.975],
      "oracle (ceiling)": [0.982, 0.993, 1, 1],
    },
    unbudgeted: { "drop tool results": 0.833, "mask M = 10": 0.95, "last 10 steps": 0.815 },
  },
};
