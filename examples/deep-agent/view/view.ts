import { type Colors } from "./colors.js";
import { type DemoEvent } from "../events.js";

/** Shows a run to a person. */
export interface View {
  readonly colors: Colors;
  readonly watch: (event: DemoEvent) => void;
  /** Writes lines below everything that happened so far. */
  readonly print: (lines: readonly string[]) => void;
  /** Ends what is redrawn in place. */
  readonly end: () => void;
}

/** Where and how a view draws. */
export interface ViewOptions {
  readonly stream: NodeJS.WriteStream;
  readonly colors: Colors;
  /** Tokens. */
  readonly window: number;
  /** Thread of the agent itself: the gauge and the todo list are its. */
  readonly mainThread: string;
}
