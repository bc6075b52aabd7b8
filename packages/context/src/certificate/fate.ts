/** What became of a string: in sight, in the file of the originals, or neither. */
export type Fate = "kept" | "retrievable" | "lost";
