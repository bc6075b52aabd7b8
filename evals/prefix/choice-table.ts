import type { Table } from "../suite.js";
import type { PrefixRow } from "./play.js";
import { tableOf } from "../report/table-of.js";

/** Returns what each of our strategies keeps of the reasoning of a model that binds it to an unchanged prompt. */
export function reasoningChoices(rows: readonly PrefixRow[]): Table {
  const [window] = rows.map((row) => row.window);
  const played = rows.filter(
    (row) =>
      row.isOurs &&
      row.window === window &&
      row.provider === "anthropic" &&
      row.journey === "straight" &&
      row.work === "pages" &&
      !row.system.includes("PACE"),
  );
  return tableOf(played, {
    title: "Reasoning",
    columns: [
      ["strategy", ({ system }) => system],
      ["calls", ({ calls }) => calls],
      ["refused", ({ refused }) => refused],
      ["reasoning kept", ({ kept }) => `${Math.round(100 * kept)} %`],
      ["blocks in a prompt", ({ blocks }) => blocks.toFixed(1)],
      ["rewrites", ({ rewrites }) => rewrites],
    ],
    note:
      `Pages read in a window of ${window?.toLocaleString("en")} tokens through the client of Anthropic, against a server that checks reasoning as the provider does. ` +
      "Kept: valid blocks sent, of those that an append-only history with the same cuts would hold. Rewrites: calls whose prompt does not begin with the whole prompt before.",
  });
}
