import { joinParts, type Suite } from "../suite.js";
import { playFaults, type FaultRow } from "./archive-faults.js";
import { forgedClients, playForged, readForeign, type ForgedRow } from "./forged-state.js";
import { hosts, withoutHolding } from "./hosts.js";
import { injections } from "./injections.js";
import { reportAttack } from "./report-attack.js";

/**
 * Lets the archive fail, and lets a client forge graph state: is any prompt over the window, is any byte lost, is any thread
 * broken, is any byte of another thread readable, and does text in the result of a tool change its role when it is folded?
 */
export const attack: Suite = async ({ data, quick = false, progress }) => {
  const steps = quick ? 24 : 60;
  const windows = windowsFor(data, quick);
  const shares = quick ? [0.3, 1] : [0.1, 0.3, 1];
  const faults: FaultRow[] = [];
  for (const host of [...hosts, withoutHolding])
    for (const window of windows)
      for (const share of shares) {
        progress(`${host.name}, ${window} tokens, ${share * 100} % of the archive writes fail`);
        faults.push(await playFaults({ host, window, steps, share }));
      }
  const forged: ForgedRow[] = [...(await readForeign())];
  for (const [nth, host] of hosts.entries())
    for (const [at, name] of [...forgedClients.keys()].entries()) {
      // A quick run plays each forgery on one host.
      if (quick && at % hosts.length !== nth) continue;
      progress(`${host.name}, ${name}`);
      forged.push(await playForged(host, name));
    }
  const named = {
    suite: "attack",
    question:
      "Does a failing archive, a forged state or hostile text of a tool send a prompt over the window, lose a byte, break a thread, show another one or speak for the user?",
  };
  return joinParts(named, [reportAttack(faults, forged), await injections({ quick, progress })]);
};

/** The larger window takes as long as all else: it is played with recorded runs. */
function windowsFor(data: string | undefined, quick: boolean): readonly number[] {
  return quick || data === undefined ? [8_000] : [8_000, 32_000];
}
