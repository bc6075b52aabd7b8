import { type Exchange, argument } from "./thread.js";

/** A line that a grep found. */
export interface Match {
  readonly path: string;
  readonly line: number;
  readonly text: string;
}

/** The file that holds the whole text of an offloaded result, or undefined when the result is whole. */
export function offloadedTo(result: string): string | undefined {
  if (!result.startsWith("[Result offloaded")) return undefined;
  return /^Full text: (\S+)$/m.exec(result)?.[1];
}

/** The lines that a grep found, in the order of the result. */
export function readMatches(exchange: Exchange): Match[] {
  const only = argument(exchange, "path");
  return exchange.result.split("\n").flatMap((line): Match[] => {
    const match = /^(?:(\/.*?):)?(\d+):(?: \[bytes \d+-\d+\])? ?(.*)$/.exec(line);
    return match === null ? [] : [{ path: match[1] ?? only, line: Number(match[2]), text: match[3] ?? "" }];
  });
}

/** True when the result says that there is more than it shows. */
export function isCutShort(result: string): boolean {
  return /^\[.*\b(?:more|first|stopped)\b.*\]$/im.test(result);
}

/** Escapes a text for use in a regular expression. */
export function literal(text: string): string {
  return text.replaceAll(/[.*+?^${}()|[\]\\]/g, (character) => `\\${character}`);
}
