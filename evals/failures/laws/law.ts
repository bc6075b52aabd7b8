/** A law of the design and the tests that hold it. */
export interface Law {
  readonly name: string;
  readonly means: string;
  /** Path below the root of the repository, a colon, and the name of the test as it is in the file. */
  readonly tests: readonly string[];
}
