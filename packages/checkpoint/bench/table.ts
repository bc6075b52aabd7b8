import type { Growth } from "./measure-growth.js";

/** Returns a Markdown table of the bytes stored for each byte of content. Pure. */
export function table(
  rows: readonly { readonly label: string; readonly measured: readonly Growth[] }[],
): string {
  const steps = [...new Set(rows.flatMap(({ measured }) => measured.map((each) => each.steps)))].sort(
    (a, b) => a - b,
  );
  const lines = rows.map(({ label, measured }) => {
    const cells = steps.map(
      (count) => measured.find((each) => each.steps === count)?.factor.toFixed(2) ?? "",
    );
    return `| ${label} | ${cells.join(" | ")} |`;
  });
  return [`| steps | ${steps.join(" | ")} |`, `|---|${steps.map(() => "---").join("|")}|`, ...lines].join(
    "\n",
  );
}
