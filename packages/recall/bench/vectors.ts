// Exact scan and graph over vectors, by size: npx tsx packages/recall/bench/vectors.ts [--sizes 5000,20000] [--inner 32]
import { parseArgs } from "node:util";
import { ExactIndex } from "../src/vectors/exact-index.js";
import { HnswIndex, loadHnsw } from "../src/vectors/hnsw-index.js";
import { searchWidth } from "../src/vectors/search-width.js";

const { values } = parseArgs({
  options: {
    sizes: { type: "string", default: "5000,20000" },
    dimensions: { type: "string", default: "384" },
    /** Dimensions in which the vectors really differ; what encoders give has some dozens. */
    inner: { type: "string", default: "32" },
  },
});
const dimensions = Number(values.dimensions);
const inner = Number(values.inner);
const questions = 100;

let seed = 7;
function random(): number {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed);
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
}

function normal(): number {
  return Math.sqrt(-2 * Math.log(random() + 1e-12)) * Math.cos(2 * Math.PI * random());
}

const axes = Array.from({ length: inner }, () => Float64Array.from({ length: dimensions }, normal));

/** A point of the inner dimensions, spread over all, with noise in each. */
function vector(): Float32Array {
  const made = Float64Array.from({ length: dimensions }, () => 0.3 * normal());
  for (const axis of axes) {
    const share = normal();
    for (const [at, value] of axis.entries()) made[at] = (made[at] ?? 0) + share * value;
  }
  const length = Math.hypot(...made);
  return Float32Array.from(made, (value) => value / length);
}

/** Median milliseconds of CPU. */
function cpu(runs: readonly (() => unknown)[]): number {
  const times = runs.map((run) => {
    const start = process.cpuUsage();
    run();
    const { user, system } = process.cpuUsage(start);
    return (user + system) / 1_000;
  });
  return times.toSorted((one, other) => one - other)[Math.floor(times.length / 2)] ?? 0;
}

const module = await loadHnsw();
if (module === undefined) throw new Error("hnswlib-node is not installed");
const exact = new ExactIndex(dimensions);
const graph = HnswIndex.empty(module, dimensions, 0);
const rows: unknown[] = [];
for (const size of values.sizes.split(",").map(Number)) {
  const adds = Array.from({ length: size - exact.size }, () => {
    const added = vector();
    return () => {
      exact.add(exact.size + 1, added);
      graph.add(exact.size, added);
    };
  });
  const addMs = cpu(adds);
  const width = await searchWidth(graph, exact);
  graph.width = width ?? graph.width;
  const asked = Array.from({ length: questions }, vector);
  const truth = asked.map((one) => new Set(exact.nearest(one, 10).map(({ id }) => id)));
  const found = asked.map((one, at) => graph.nearest(one, 10).filter(({ id }) => truth[at]?.has(id)).length);
  rows.push({
    vectors: size,
    "exact ms": cpu(asked.map((one) => () => exact.nearest(one, 50))).toFixed(2),
    "graph ms": cpu(asked.map((one) => () => graph.nearest(one, 50))).toFixed(2),
    "add ms": addMs.toFixed(2),
    width: width ?? "too narrow",
    "recall@10": (found.reduce((sum, one) => sum + one, 0) / (questions * 10)).toFixed(3),
  });
}
for (const row of rows) process.stdout.write(`${JSON.stringify(row)}\n`);
