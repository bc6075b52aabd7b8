/** Constants of PACE as published (ACL 2026 long 1252). Every one of them is an option. */
export const paceDefaults = {
  /** Newest chunks that stay whole and make up the query, N. */
  recent: 2,
  /** Softmax temperature, tau. */
  temperature: 0.3,
  /** How far pressure raises the thresholds, lambda. */
  pressureGain: 0.5,
  /** Relative weights at which a chunk is brief, detailed and full: alpha, beta, gamma. */
  thresholds: { brief: 0.4, detailed: 0.8, full: 1.5 },
  /** Tokens of the window, B_max. */
  budget: 128_000,
  /** Characters of a text that is embedded, L_max. */
  encodedCharacters: 8_000,
  /** Glimpses of one step. */
  glimpses: 3,
};
