import { statSync } from "node:fs";
import { VfsSaver } from "@palimpsest/checkpoint";
import { CliError } from "../cli-error.js";
import { isPostgres } from "../open-storage.js";
import type { Verb } from "../verb.js";

/** Copies a SQLite file as it is at one moment. */
export const backup: Verb = {
  name: "backup",
  description: "Write a consistent copy of a SQLite file while agents go on writing to it",
  args: ["<copy>"],
  options: [],
  async run({ target, args: [copy = ""] }) {
    if (isPostgres(target)) throw new CliError("Back a Postgres database up with pg_dump.");
    VfsSaver.backup(target, copy);
    const bytes = statSync(copy).size;
    return { data: { copy, bytes }, text: `${copy} holds ${bytes.toLocaleString("en-US")} bytes.\n` };
  },
};
