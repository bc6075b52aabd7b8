import type { Terminal } from "./verb.js";

/** Where notices and progress are printed. */
export interface ErrorOutput {
  readonly writeError: (text: string) => void;
  /** The terminal that the command line prints on. @default it is none */
  readonly terminal?: Omit<Terminal, "write"> | undefined;
  /** Whether `writeError` prints on a terminal, where each line of progress takes the place of the one before. @default false */
  readonly hasProgressLine?: boolean;
  /** Milliseconds between two lines of progress, and before the first. @default 1_000 */
  readonly progressInterval?: number;
}

/** Moves to the start of the line and clears it. */
const clearLine = "\r\u001b[K";

/** Prints notices, and progress from time to time: on a terminal in one line, elsewhere in a line each. */
export function errorLines({
  writeError,
  hasProgressLine = false,
  progressInterval = 1_000,
  terminal,
}: ErrorOutput) {
  const columns = terminal?.size().columns ?? 80;
  const clear = hasProgressLine ? clearLine : "";
  const show = (line: string): void =>
    writeError(hasProgressLine ? `${clear}${line.slice(0, columns - 1)}` : `${line}\n`);
  let isShown = false;
  const { progress, end } = nowAndThen((line) => {
    isShown = true;
    show(line);
  }, progressInterval);
  return {
    notice: (line: string): void => writeError(`${isShown ? clear : ""}${line}\n`),
    progress,
    end: (): void => {
      end();
      if (isShown && hasProgressLine) writeError(clear);
    },
  };
}

/** Prints the newest line once in each interval, even if no new line comes. */
function nowAndThen(print: (line: string) => void, interval: number) {
  let last = Date.now();
  let waiting: string | undefined;
  const show = (): void => {
    if (waiting !== undefined) print(waiting);
    waiting = undefined;
    last = Date.now();
  };
  const timer = setInterval(show, interval);
  const progress = (line: string): void => {
    waiting = line;
    if (Date.now() - last >= interval) show();
  };
  return { progress, end: (): void => clearInterval(timer) };
}
