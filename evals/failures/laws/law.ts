/** A law of the design and the tests that hold it. */
export interface Law {
  readonly name: string;
  readonly means: string;
  readonly tests: readonly NamedTest[];
}

export interface NamedTest {
  /** Path below the root of the repository. */
  readonly file: string;
  /** Name of the test as it is in the file. */
  readonly name: string;
}
