import type { Table } from "../suite.js";
import type { PrefixRow } from "./play.js";

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
  return {
    title: "Reasoning",
    columns: ["strategy", "calls", "refused", "reasoning kept", "blocks in a prompt", "rewrites"],
    rows: played.map(({ system, calls, refused, kept, blocks, rewrites }) => [
      system,
      calls,
      refused,
      `${Math.round(100 * kept)} %`,
      blocks.toFixed(1),
      rewrites,
    ]),
    note:
      `Pages read in a window of ${window?.toLocaleString("en")} tokens through the client of Anthropic, against a server that checks reasoning as the provider does. ` +
      "Kept: valid blocks sent, of those that an append-only history with the same cuts would hold. Rewrites: calls whose prompt does not begin with the whole prompt before.",
  };
}
