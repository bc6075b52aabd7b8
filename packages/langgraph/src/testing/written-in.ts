import type { Summary } from "@palimpsest/context";

/** Returns the findings that the model worded; extracted ones quote who wrote them. */
export function writtenIn(summary: Summary | undefined): readonly string[] {
  return (summary?.findings ?? []).filter((entry) => !entry.includes("“"));
}
