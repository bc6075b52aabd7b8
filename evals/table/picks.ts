import { groupsOf } from "../metrics/groups-of.js";
import type { TableRow } from "./table-row.js";

/** Which setting of each system is compared. Defaults stand beside defaults, tuned settings beside tuned ones. */
export type Choice = "defaults" | "tuned";

const choices: readonly Choice[] = ["defaults", "tuned"];

/** The rows of one set in one window that are compared with each other, one for each system. */
export interface Picked {
  readonly set: string;
  readonly window: number;
  readonly choice: Choice;
  readonly rows: readonly TableRow[];
}

/** Returns what is compared: for each set, window and choice one row of each system. */
export function pickedOf(rows: readonly TableRow[]): readonly Picked[] {
  return groupsOf(rows, ({ window, set }) => `${window} ${set}`).flatMap(([, own]) => {
    const systems = groupsOf(own, ({ system }) => system).map(([, settings]) => settings);
    return own.slice(0, 1).flatMap(({ set, window }) =>
      choices.map((choice) => ({
        set,
        window,
        choice,
        rows: systems.flatMap((settings) => (choice === "defaults" ? settings.slice(0, 1) : best(settings))),
      })),
    );
  });
}

/** The lowest bill of the settings with the fewest prompts that cannot be sent, if possible without a broken rule. */
function best(settings: readonly TableRow[]): readonly TableRow[] {
  const fewest = Math.min(...settings.map(({ unfit }) => unfit));
  const sent = settings.filter(({ unfit }) => unfit === fewest);
  const legal = sent.filter(({ illegal }) => illegal === 0);
  return (legal.length === 0 ? sent : legal)
    .toSorted((one, other) => one.bill.mean - other.bill.mean)
    .slice(0, 1);
}
