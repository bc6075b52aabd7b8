// The same threads on savers with plain channels and with delta channels. Run it with: npm run bench -- delta-channels
import { cost, scripts, type Cost } from "./measure-thread.js";
import { rivals, settings, type Rival } from "./rivals.js";
import { damage, dropRow, flipBit } from "./survive-damage.js";
import { forkReads, wrongReads } from "./survive-forks.js";
import { reordered } from "./survive-parallel.js";
import { prunedByHand, prunedByItself } from "./survive-pruning.js";

const isQuick = process.argv.includes("--quick");
const steps = isQuick ? [60] : [100, 400, 1600];
/** A plain channel stores the whole thread at each step: LangGraph's savers with it stop here. */
const mostOfPlain = 400;
const trials = isQuick ? 10 : 100;
const parallelRuns = isQuick ? 10 : 40;

const say = (text: string): void => {
  process.stderr.write(`${text}\n`);
};

const costs = await measureCosts();
const survivals = await measureSurvivals();
process.stdout.write(`${JSON.stringify({ settings: settings(), costs, survivals })}\n`);

async function measureCosts(): Promise<Cost[]> {
  const found: Cost[] = [];
  // The first runs warm up the code.
  for (const script of scripts(30)) for (const rival of rivals) await cost(rival, script);
  for (const count of steps) {
    for (const script of scripts(count)) {
      for (const rival of rivals) {
        if (count > mostOfPlain && !rival.isOurs && !rival.isDelta) continue;
        const one = await cost(rival, script);
        say(`${one.rival}, ${one.content}, ${one.steps} steps: ${one.factor.toFixed(2)}x`);
        found.push(one);
      }
    }
  }
  return found;
}

async function measureSurvivals() {
  const [reference] = rivals;
  if (!reference) throw new Error("There is no rival");
  const expected = await forkReads(reference);
  const found = [];
  for (const rival of rivals) {
    say(`${rival.name}: what survives`);
    found.push({ rival: rival.name, isOurs: rival.isOurs, ...(await survival(rival, expected)) });
  }
  return found;
}

async function survival(rival: Rival, expected: Awaited<ReturnType<typeof forkReads>>) {
  const wrong = wrongReads(await forkReads(rival), expected);
  return {
    forks: { reads: expected.size, wrong },
    parallel: { runs: parallelRuns, reordered: await reordered(rival, parallelRuns) },
    prune: await prunedByItself(rival),
    deletion: await prunedByHand(rival),
    flips: await damage(rival, trials, flipBit),
    drops: await damage(rival, trials, dropRow),
  };
}
