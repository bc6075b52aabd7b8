import { agentsPane } from "./agents-pane.js";
import { billPane } from "./bill-pane.js";
import { changesPane } from "./changes-pane.js";
import { errorsPane } from "./errors-pane.js";
import { filesPane } from "./files-pane.js";
import type { Pane } from "./pane.js";
import { reworkPane } from "./rework-pane.js";
import { searchPane } from "./search-pane.js";
import { threadPane } from "./thread-pane.js";

/** The panes in the order of their tabs and keys. */
export const panes: readonly Pane[] = [
  threadPane,
  searchPane,
  filesPane,
  changesPane,
  billPane,
  errorsPane,
  reworkPane,
  agentsPane,
];
