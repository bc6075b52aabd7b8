import * as fc from "fast-check";
import { playScript } from "./play-script.js";
import { scriptArbitrary, type Script } from "./script.js";
import { Violation } from "./side.js";
import { strategies, type Strategy } from "./strategies.js";

export interface HostsOptions {
  readonly seed: number;
  /** Milliseconds after which no further batch is begun. */
  readonly milliseconds: number;
  /** Batches to play at most. @default no limit */
  readonly batches?: number;
  /** Scripts of a batch. @default 12 */
  readonly scripts?: number;
  /** @default all */
  readonly strategies?: readonly Strategy[];
  readonly onBatch?: (report: HostsReport) => void;
}

export interface HostsReport {
  readonly scripts: number;
  /** Prompts that were checked, those after restarts included. */
  readonly prompts: number;
  /** One text for each kind of fault in each strategy: its name, the law, and the smallest script that shows it. */
  readonly violations: readonly string[];
}

const shrinkMs = 8_000;

/**
 * Plays random scripts in every host in turn, each beside the same host alone. A kind of fault is reported once for a strategy.
 * Batch `i` has the seed `seed + i`.
 */
export async function runHosts(options: HostsOptions): Promise<HostsReport> {
  const { seed, milliseconds, batches = Infinity, scripts: numRuns = 12, onBatch } = options;
  const playing = options.strategies ?? strategies;
  const end = performance.now() + milliseconds;
  const violations: string[] = [];
  const found = new Map(playing.map(({ name }) => [name, new Set<string>()]));
  let [scripts, prompts] = [0, 0];
  for (let index = 0; index < batches && performance.now() < end; index++) {
    const strategy = playing[index % playing.length] as Strategy;
    const kinds = found.get(strategy.name) as Set<string>;
    let shrinkEnd: number | undefined;
    let last: { readonly kind: string; readonly message: string } | undefined;
    const property = fc.asyncProperty(scriptArbitrary, async (script) => {
      if (shrinkEnd !== undefined && performance.now() > shrinkEnd) return;
      try {
        prompts += await playTwice(script, strategy);
        scripts++;
      } catch (error) {
        if (!(error instanceof Violation)) throw error;
        if (kinds.has(error.kind) || (last !== undefined && error.kind !== last.kind)) return;
        last = error;
        shrinkEnd ??= performance.now() + shrinkMs;
        throw error;
      }
    });
    const { counterexample } = await fc.check(property, { seed: seed + index, numRuns });
    if (last !== undefined && counterexample !== null) {
      kinds.add(last.kind);
      const script = { title: `seed ${seed + index}`, strategy: strategy.name, ...counterexample[0] };
      violations.push([`${strategy.name}, ${last.kind}`, last.message, JSON.stringify(script)].join("\n"));
    }
    onBatch?.({ scripts, prompts, violations });
    // Scripts run in microtasks, at whose end alone V8 lets go of what a WeakRef has led to.
    await new Promise((resolve) => setImmediate(resolve));
  }
  return { scripts, prompts, violations };
}

/**
 * Plays a script, and once more with a new process before every node: the prompts are the same. Returns their number.
 *
 * During an outage only a process that remembers what it has archived knows that the archive has it.
 */
export async function playTwice(script: Script, strategy: Strategy): Promise<number> {
  const { moves } = script;
  const played = await playScript(script, strategy);
  // LangGraph does not continue a subgraph with a memory of its own that was stopped before a node.
  if (strategy.family === "nested agent with its own memory") return played.length;
  const again = await playScript(script, strategy, { restarts: true });
  const count = played.length + again.length;
  if (strategy.isTimed === true) return count;
  if (strategy.remembersArchive === true && moves.some((move) => move.kind === "turn" && move.outage))
    return count;
  const at = again.findIndex((prompt, index) => prompt !== played[index]);
  if (at < 0) return count;
  throw new Violation(
    "restart",
    `prompt ${at} is another after restarts\n${difference(played[at], again[at])}`,
  );
}

function difference(played = "", again = ""): string {
  const [one, other] = [played.split("\n"), again.split("\n")];
  const line = other.findIndex((text, index) => text !== one[index]);
  return `${one[line]?.slice(0, 300)}\n${other[line]?.slice(0, 300)}`;
}
