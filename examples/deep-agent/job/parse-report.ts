import { type PackageFacts } from "./ground-truth.js";

/** Returns the answers that a report states, by package name. Rows that are not a table row of eight cells are passed over. */
export function parseReport(report: string): Map<string, PackageFacts> {
  const rows = report.split("\n").filter((line) => line.startsWith("|"));
  return new Map(
    rows.flatMap((line): [string, PackageFacts][] => {
      const cells = line.split("|").slice(1, -1).map(plain);
      const [name, licence, version, entry, largest, bytes, importedBy, symbol] = cells;
      if (name === undefined || symbol === undefined || cells.length !== 8) return [];
      const facts = {
        licence: licence ?? "",
        version: version ?? "",
        entry: entry ?? "",
        largest: `${largest ?? ""} ${(bytes ?? "").replaceAll(",", () => "")}`,
        importedBy: importedBy ?? "",
        symbol,
      };
      return [[name, facts]];
    }),
  );
}

/** A cell without the backquotes that a writer may put around it. */
function plain(cell: string): string {
  return cell.replaceAll("`", () => "").trim();
}
