import { CliError } from "../cli-error.js";

/** Stands between two texts that are looked at together. No rule matches across it. */
const separator = "\n\u0000\n";

/**
 * Returns a copy of a value without what the rules of secretlint take for a secret in its texts: `[redacted]` stands in its
 * place. Throws a CliError if the package is missing.
 */
export async function redacted<Value>(value: Value): Promise<Value> {
  const texts: string[] = [];
  collect(value, texts);
  const content = texts.join(separator);
  const clean = without(content, await secretsIn(content)).split(separator);
  let at = 0;
  return replaced(value, () => clean[at++] ?? "") as Value;
}

type Range = readonly [from: number, to: number];

async function secretsIn(content: string): Promise<readonly Range[]> {
  const core = await import("@secretlint/core").catch(missing);
  const preset = await import("@secretlint/secretlint-rule-preset-recommend").catch(missing);
  const rules = [{ id: "@secretlint/secretlint-rule-preset-recommend", rule: preset.creator }];
  const source = { filePath: "report.txt", content, ext: ".txt", contentType: "text" as const };
  const { messages } = await core.lintSource({ source, options: { config: { rules } } });
  return messages.map(({ range: [from, to] }) => [from, to]);
}

function missing(cause: unknown): never {
  throw new CliError(
    "--redact needs the packages @secretlint/core and @secretlint/secretlint-rule-preset-recommend. Install them beside @palimpsest/cli.",
    { cause },
  );
}

function without(content: string, ranges: readonly Range[]): string {
  let text = "";
  let end = 0;
  for (const [from, to] of ranges.toSorted((a, b) => a[0] - b[0])) {
    if (to <= end) continue;
    text += `${content.slice(end, Math.max(end, from))}[redacted]`;
    end = to;
  }
  return text + content.slice(end);
}

function collect(value: unknown, texts: string[]): void {
  if (typeof value === "string") texts.push(value);
  else if (typeof value === "object" && value !== null)
    for (const item of Object.values(value)) collect(item, texts);
}

function replaced(value: unknown, next: () => string): unknown {
  if (typeof value === "string") return next();
  if (Array.isArray(value)) return value.map((item: unknown) => replaced(item, next));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, replaced(item, next)]));
}
