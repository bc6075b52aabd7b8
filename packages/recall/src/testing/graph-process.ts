// A process that builds a graph and searches it, because test runners load native modules in their own way.
import { HnswIndex, loadHnsw } from "../vectors/hnsw-index.js";

const module = await loadHnsw();
if (module === undefined) throw new Error("hnswlib-node did not load");
const graph = HnswIndex.empty(module, 2, 0);
graph.add(7, Float32Array.of(1, 0));
if (graph.nearest(Float32Array.of(1, 0), 1)[0]?.id !== 7) throw new Error("the graph finds nothing");
