/** Recall at 500, 1k, 2k, 4k and 8k tokens. */
type AtBudgets = readonly [number, number, number, number, number];

export const publishedBudgets = [500, 1_000, 2_000, 4_000, 8_000] as const;

/** Conversations and questions with evidence of the copy that was measured; on another the values do not apply. */
export const publishedCopy = { dialogues: 5, questions: 996 };

/** Earlier measurements of the baselines: what this harness must reproduce. */
export const publishedEvidence: Readonly<Record<string, AtBudgets>> = {
  recency: [0.015, 0.042, 0.106, 0.212, 0.376],
  "random (control)": [0.02, 0.041, 0.093, 0.189, 0.371],
  BM25: [0.622, 0.692, 0.735, 0.789, 0.863],
  "BM25 ± 1 turn": [0.71, 0.779, 0.825, 0.874, 0.916],
  "recorded observations, BM25": [0.637, 0.676, 0.722, 0.768, 0.787],
  "oracle (ceiling)": [1, 1, 1, 1, 1],
};

export const publishedAnswers: Readonly<Record<string, AtBudgets>> = {
  recency: [0.131, 0.222, 0.328, 0.436, 0.563],
  "random (control)": [0.157, 0.243, 0.365, 0.491, 0.618],
  "recorded summaries, newest first": [0.217, 0.323, 0.448, 0.629, 0.697],
  "recorded summaries, BM25": [0.436, 0.531, 0.607, 0.679, 0.697],
  "recorded observations, BM25": [0.524, 0.577, 0.628, 0.681, 0.699],
  BM25: [0.527, 0.598, 0.647, 0.688, 0.741],
  "BM25 ± 1 turn": [0.571, 0.634, 0.683, 0.721, 0.751],
  "oracle (ceiling)": [0.693, 0.702, 0.719, 0.736, 0.757],
};
