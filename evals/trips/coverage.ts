import { Session } from "node:inspector/promises";

/** What a trip through the code entered. */
export interface Trip {
  /** Functions that ran, but for the bodies of modules. */
  readonly functions: number;
  /** Files in which one ran. */
  readonly files: number;
  /** Calls of each function, by `file function`. */
  readonly calls: ReadonlyMap<string, number>;
}

/** Measures which functions run, from the coverage of V8. Start it before the measured modules are imported. */
export class Coverage {
  readonly #session = new Session();

  async start(): Promise<void> {
    this.#session.connect();
    await this.#session.post("Profiler.enable");
    await this.#session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });
  }

  /** Runs a task once to load what it loads once, and measures the second run, in files whose URL contains `where`. */
  async measure(task: () => Promise<unknown>, where: string): Promise<Trip> {
    await task();
    await this.#session.post("Profiler.takePreciseCoverage");
    await task();
    const { result } = await this.#session.post("Profiler.takePreciseCoverage");
    const files = new Set<string>();
    const calls = new Map<string, number>();
    for (const { url, functions } of result.filter((script) => isWithin(script.url, where))) {
      for (const { functionName, ranges } of functions) {
        const [range] = ranges;
        if (range === undefined || range.count === 0 || isModule(functionName, range.startOffset)) continue;
        files.add(url);
        calls.set(`${url} ${functionName} ${range.startOffset}`, range.count);
      }
    }
    return { functions: calls.size, files: files.size, calls };
  }

  async stop(): Promise<void> {
    await this.#session.post("Profiler.stopPreciseCoverage");
    this.#session.disconnect();
  }
}

function isWithin(url: string, where: string): boolean {
  return url.startsWith("file:") && url.includes(where);
}

function isModule(name: string, start: number): boolean {
  return name === "" && start === 0;
}
