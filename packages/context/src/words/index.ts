export { stem } from "./stem.js";
export { hasUnspaced, splitUnspaced, unspacedClass } from "./unspaced.js";
export { contentWords, words } from "./words.js";
