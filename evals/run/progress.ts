export interface Progress {
  /** Reports progress to a person. */
  (line: string): void;
  /** Removes the line. */
  readonly end: () => void;
}

/** Reports progress on stderr: in one line of a terminal, in a line each elsewhere. */
export function progressOf(suite: string, stream: NodeJS.WriteStream = process.stderr): Progress {
  const show = stream.isTTY
    ? (line: string) => stream.write(`\r\u001B[K${`${suite}: ${line}`.slice(0, stream.columns - 1)}`)
    : (line: string) => stream.write(`${suite}: ${line}\n`);
  return Object.assign((line: string) => void show(line), {
    end: () => void (stream.isTTY && stream.write("\r\u001B[K")),
  });
}
