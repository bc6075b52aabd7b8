import { countLines } from "./describe-size.js";

export interface PreviewOptions {
  /** @default defaults.previewLines */
  readonly previewLines: number;
  /** Characters. @default defaults.previewLineLength */
  readonly previewLineLength: number;
}

/** Returns the first lines of a text, long ones clipped, and says what was left out. Reads only the lines shown. */
export function preview(text: string, { previewLines, previewLineLength }: PreviewOptions): string {
  const shown: string[] = [];
  let at = 0;
  while (shown.length < previewLines && at < text.length) {
    const newline = text.indexOf("\n", at);
    const end = newline < 0 ? text.length : newline;
    const hidden = end - at - previewLineLength;
    const line = text.slice(at, Math.min(end, at + previewLineLength));
    shown.push(hidden > 0 ? `${line} [line clipped: ${hidden} more characters]` : line);
    at = end + 1;
  }
  const more = at < text.length ? countLines(text.slice(at)) : 0;
  return [...shown, ...(more > 0 ? [`[${more} more lines in the file above]`] : [])].join("\n");
}
