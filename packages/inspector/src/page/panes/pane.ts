import type { ComponentChildren } from "preact";
import type { CallPositions } from "../../shared/call-positions.js";
import type { SearchHit, StepRow, StepView, ThreadView } from "../../view.js";
import type { Place } from "../place.js";
import type { TypedPrices } from "../prices.js";
import type { Source } from "../source/source.js";

/** What a pane shows, and how it goes elsewhere. */
export interface PaneProps {
  readonly source: Source;
  readonly thread: string;
  /** All threads, newest first. */
  readonly threads: readonly ThreadView[];
  readonly place: Place;
  /** The chosen step; undefined while the first one of a thread loads. */
  readonly step: StepView | undefined;
  /** Messages of the thread at the step; undefined while the thread loads. */
  readonly happened: number | undefined;
  /** All steps of the branch, oldest first; some of them while they are read. */
  readonly rows: readonly StepRow[];
  readonly isWhole: boolean;
  /** Tokens; null if it is not known. */
  readonly window: number | null;
  readonly calls: CallPositions;
  /** Position of the chosen row. */
  readonly index: number;
  readonly prices: TypedPrices;
  readonly go: (change: Partial<Place>) => void;
  readonly select: (index: number) => void;
  readonly choose: (message: number | undefined) => void;
  readonly openHit: (hit: SearchHit) => void;
}

/** A pane beside what the model was sent. A new one is a file like this and a line of the registry. */
export interface Pane {
  /** In the address. */
  readonly id: string;
  readonly label: string;
  readonly render: (props: PaneProps) => ComponentChildren;
}
