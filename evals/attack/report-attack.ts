import type { SuitePart, Table } from "../suite.js";
import type { FaultRow } from "./archive-faults.js";
import type { ForgedRow } from "./forged-state.js";
import { withoutHolding } from "./hosts.js";

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
  return {
    title: "Runs whose archive writes fail until the last step",
    columns: [
      "strategy",
      "window",
      "failing",
      "prompts",
      "over the window",
      "largest prompt",
      "bytes lost meanwhile",
      "lost without the originals in state",
      "lost once the archive works",
    ],
    rows: rows.map((row) => [
      row.host,
      row.window,
      `${row.share * 100} %`,
      row.prompts,
      row.over,
      row.largest,
      row.lostDuring,
      row.lostUnheld,
      row.lostAfter,
    ]),
    note:
      "Tokens of four characters. Every twentieth result is a quarter larger than the window. Lost: bytes of messages that readThread " +
      "does not give back. The control sends what the state holds for the archive, as before originals were held.",
  };
}

function forgedTable(rows: readonly ForgedRow[]): Table {
  const hosts = [...new Set(rows.map(({ host }) => host))];
  return {
    title: "Forged folds, workspace entries, paths and compaction channels",
    columns: ["played by", "forgeries", "threads broken", "prompts over the window", "foreign bytes read"],
    rows: hosts.map((host) => {
      const own = rows.filter((row) => row.host === host);
      const sum = (of: (row: ForgedRow) => number) => own.reduce((total, row) => total + of(row), 0);
      return [
        host,
        own.length,
        own.filter(({ broken }) => broken).length,
        sum(({ over }) => over),
        sum(({ foreignBytes }) => foreignBytes),
      ];
    }),
    note: "The control, the thread that wrote the file, reads all of it with the same tools.",
  };
}

function exceptionTable(rows: readonly ForgedRow[]): Table {
  const exceptions = rows.filter(({ broken, over, foreignBytes }) => broken || over + foreignBytes > 0);
  return {
    title: "Forgeries that reached something",
    columns: ["played by", "forged", "broken", "prompts over the window", "foreign bytes read"],
    rows: exceptions.map(({ host, forged, broken, over, foreignBytes }) => [
      host,
      forged,
      broken ? "yes" : "no",
      over,
      foreignBytes,
    ]),
  };
}
