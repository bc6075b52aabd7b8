const lineBreak = /\s*[\n\r\v\f\u0085\u2028\u2029]\s*/g;
// oxlint-disable-next-line no-control-regex -- terminal escapes and other controls are what is looked for
const control = /[\u0000-\u0008\u000e-\u001f\u007f-\u009f]/g;

/**
 * Returns a text as one line without control characters: a name or a path out of somebody's words cannot start a line,
 * a heading or a terminal escape of its own. Longer than `most` characters it is clipped.
 */
export function inlineText(text: string, most = Infinity): string {
  const line = text.replace(lineBreak, " ").replace(control, "").trim();
  return line.length <= most ? line : `${line.slice(0, most)}…`;
}
