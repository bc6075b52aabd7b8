import type { Estimate } from "../metrics/estimate.js";
import type { Comparison } from "../suite.js";

/** Returns a value with its unit, as a person reads it. Pure. */
export function formatValue(value: number, unit: Comparison["unit"]): string {
  if (!Number.isFinite(value)) return value > 0 ? "does not end" : String(value);
  if (unit === "share") return `${trim(value * 100, 1)} %`;
  if (unit === "ratio") return `${significant(value)}×`;
  if (unit === "bytes") return bytes(value);
  return unit === "count" ? significant(value) : `${significant(value)} ${unit}`;
}

/** Returns a share as a cell of a table, with so many digits behind the point; a dash without one. Pure. */
export function percent(share: number | undefined, digits = 1): string {
  return share === undefined ? "–" : `${(100 * share).toFixed(digits)} %`;
}

/** Returns a share as a number of three decimals; a dash where nothing was measured. Pure. */
export function decimals(share: number): string {
  return Number.isNaN(share) ? "–" : share.toFixed(3);
}

/** Returns a mean with its interval as a cell of a table; a dash without one. Pure. */
export function withInterval(estimate: Pick<Estimate, "mean" | "low" | "high"> | undefined): string {
  if (estimate === undefined) return "–";
  return `${estimate.mean.toFixed(3)} (${estimate.low.toFixed(2)}–${estimate.high.toFixed(2)})`;
}

/** Returns the lowest and the highest of shares as a person reads them: "87 to 93 %"; "–" without any. Pure. */
export function shareRange(shares: readonly (number | undefined)[]): string {
  const known = shares.flatMap((share) => (share === undefined || Number.isNaN(share) ? [] : [share]));
  if (known.length === 0) return "–";
  const [low = 0, high = 0] = [Math.min(...known), Math.max(...known)].map((share) =>
    Math.round(100 * share),
  );
  return low === high ? `${low} %` : `${low} to ${high} %`;
}

/** Returns a cell of a table: whole numbers with separators, others with three significant digits. Pure. */
export function formatCell(cell: string | number): string {
  if (typeof cell === "string") return cell;
  if (!Number.isFinite(cell)) return "–";
  return Number.isInteger(cell) ? cell.toLocaleString("en") : significant(cell);
}

function significant(value: number): string {
  if (Math.abs(value) >= 100) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

function trim(value: number, digits: number): string {
  return String(Number(value.toFixed(digits)));
}

function bytes(value: number): string {
  const units = ["bytes", "KB", "MB", "GB"];
  const step = value < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(value) / 3));
  return `${significant(value / 1000 ** step)} ${units[step] ?? ""}`;
}
