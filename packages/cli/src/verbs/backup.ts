import { statSync } from "node:fs";
import { checkCopy, copyStorage } from "../copy-storage.js";
import { isPostgres, nameOf } from "../open-storage.js";
import { count, terminalText } from "../terminal-text.js";
import type { Verb } from "../verb.js";

/** Copies a consistent snapshot of a storage. */
export const backup: Verb = {
  name: "backup",
  description:
    "Write a consistent copy of a SQLite file, or of a Postgres database into an empty one; agents may go on writing",
  args: ["<copy>"],
  options: [],
  async run({ target, args: [copy = ""] }) {
    checkCopy(target, copy);
    await copyStorage(target, copy);
    const name = terminalText(nameOf(copy));
    if (isPostgres(copy)) return { data: { copy: nameOf(copy) }, text: `${name} holds the copy.\n` };
    const bytes = statSync(copy).size;
    return { data: { copy, bytes }, text: `${name} holds ${count(bytes)} bytes.\n` };
  },
};
