const width = 24;

export interface Progress {
  /** Reports progress. `3/20` in the line moves the bar. */
  (line: string): void;
  /** Removes the bar. */
  readonly end: () => void;
}

/** Reports progress on stderr: a bar on a terminal, lines elsewhere. */
export function progressOf(suite: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  const draw = stream.isTTY
    ? (line: string) => stream.write(`\r\u001B[K${fit(`${suite} ${bar(line)}${line}`, stream.columns)}`)
    : (line: string) => stream.write(`${suite}: ${line}\n`);
  return Object.assign((line: string) => void draw(line), {
    end: () => void (stream.isTTY && stream.write("\r\u001B[K")),
  });
}

/** Returns the bar for a line with `done/total` in it. Pure. */
export function bar(line: string): string {
  const [, done, total] = /(\d+)\/(\d+)/.exec(line) ?? [];
  if (done === undefined || Number(total) === 0) return "";
  const share = Math.min(1, Number(done) / Number(total));
  const full = Math.round(share * width);
  return `${"█".repeat(full)}${"░".repeat(width - full)} `;
}

function fit(line: string, columns = 80): string {
  return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
}
