import type { SuitePart, Table } from "../suite.js";
import type { FaultRow } from "./archive-faults.js";
import type { ForgedRow } from "./forged-state.js";
import { withoutHolding } from "./hosts.js";
import { tableOf } from "../report/table-of.js";
import { groupsOf } from "../metrics/groups-of.js";
import { sumOf } from "../metrics/sum-of.js";

function isControl({ host }: FaultRow | ForgedRow): boolean {
  return host === withoutHolding.name || host === "control";
}

/**
 * Returns the tables; holds when no prompt of ours is over the window, nothing is lost, no thread is broken and nothing foreign
 * is readable, and when each measure notices its control. Pure.
 */
export function reportAttack(faults: readonly FaultRow[], forged: readonly ForgedRow[]): SuitePart {
  const own = faults.filter((row) => !isControl(row));
  const claims = forged.filter((row) => !isControl(row));
  return {
    cases: faults.length + forged.length,
    passed:
      own.length > 0 &&
      own.every((row) => row.over + row.lostDuring + row.lostAfter + row.heldAfter === 0 && row.isSame) &&
      faults.some((row) => isControl(row) && row.over > 0) &&
      own.some(({ share, lostUnheld }) => share === 1 && lostUnheld > 0) &&
      claims.length > 0 &&
      claims.every(({ broken, over, foreignBytes }) => !broken && over + foreignBytes === 0) &&
      forged.some((row) => isControl(row) && row.foreignBytes > 0),
    tables: [faultTable(faults), forgedTable(claims), exceptionTable(claims)].filter(
      ({ rows }) => rows.length > 0,
    ),
    charts: [],
    numbers: { faults, forged },
  };
}

function faultTable(rows: readonly FaultRow[]): Table {
  return tableOf(rows, {
    title: "Runs whose archive writes fail until the last step",
    columns: [
      ["strategy", (row) => row.host],
      ["window", (row) => row.window],
      ["failing", (row) => `${row.share * 100} %`],
      ["prompts", (row) => row.prompts],
      ["over the window", (row) => row.over],
      ["largest prompt", (row) => row.largest],
      ["bytes lost meanwhile", (row) => row.lostDuring],
      ["lost without the originals in state", (row) => row.lostUnheld],
      ["lost once the archive works", (row) => row.lostAfter],
    ],
    note:
      "Tokens of four characters. Every twentieth result is a quarter larger than the window. Lost: bytes of messages that readThread " +
      "does not give back. The control sends what the state holds for the archive, as before originals were held.",
  });
}

function forgedTable(rows: readonly ForgedRow[]): Table {
  const hosts = groupsOf(rows, ({ host }) => host);
  return tableOf(hosts, {
    title: "Forged folds, workspace entries, paths and compaction channels",
    columns: [
      ["played by", ([host]) => host],
      ["forgeries", ([, own]) => own.length],
      ["threads broken", ([, own]) => own.filter(({ broken }) => broken).length],
      ["prompts over the window", ([, own]) => sumOf(own, ({ over }) => over)],
      ["foreign bytes read", ([, own]) => sumOf(own, ({ foreignBytes }) => foreignBytes)],
    ],
    note: "The control, the thread that wrote the file, reads all of it with the same tools.",
  });
}

function exceptionTable(rows: readonly ForgedRow[]): Table {
  const exceptions = rows.filter(({ broken, over, foreignBytes }) => broken || over + foreignBytes > 0);
  return tableOf(exceptions, {
    title: "Forgeries that reached something",
    columns: [
      ["played by", ({ host }) => host],
      ["forged", ({ forged }) => forged],
      ["broken", ({ broken }) => (broken ? "yes" : "no")],
      ["prompts over the window", ({ over }) => over],
      ["foreign bytes read", ({ foreignBytes }) => foreignBytes],
    ],
  });
}
