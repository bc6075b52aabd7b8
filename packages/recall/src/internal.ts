// For the other packages and the evals of this repository. No compatibility is promised.
export { splitPassages, type SplitOptions } from "./passage.js";
export { HashedEmbeddings, type HashedEmbeddingsOptions } from "./vectors/hashed-embeddings.js";
export { questionTerms, stemmedWords } from "./words/terms.js";
