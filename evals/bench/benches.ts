import type { Suite } from "../suite.js";

/** Every bench by name: suites that measure time and bytes instead of what is kept. */
export const benches: Readonly<Record<string, () => Promise<Suite>>> = {
  steps: async () => (await import("./steps.js")).steps,
  offload: async () => (await import("./offload.js")).offload,
  "first-token": async () => (await import("./first-token.js")).firstToken,
  search: async () => (await import("./search.js")).search,
  index: async () => (await import("./index-of-archive.js")).indexOfArchive,
  memory: async () => (await import("./memory.js")).memory,
  threads: async () => (await import("./threads.js")).threads,
  load: async () => (await import("./load.js")).load,
  storage: async () => (await import("./storage.js")).storage,
  encryption: async () => (await import("./encryption.js")).encryption,
  "delta-channels": async () => (await import("./delta-channels.js")).deltaChannels,
};
