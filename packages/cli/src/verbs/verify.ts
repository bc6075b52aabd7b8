import type { DamagedPart, RestoredPart } from "@palimpsest/checkpoint";
import { checkStorage, type CheckedStorage } from "../verify/check-storage.js";
import { UsageError } from "../cli-error.js";
import { checkCopy } from "../copy-storage.js";
import { nameOf, openStorage } from "../open-storage.js";
import { repairCopy } from "../verify/repair-copy.js";
import { sealAgain } from "../verify/seal-again.js";
import { count, oneLine, terminalText } from "../terminal-text.js";
import type { Report, Verb } from "../verb.js";

/** Reads everything of a storage, and reports what is damaged. */
export const verify: Verb = {
  name: "verify",
  description: "Read every checkpoint, stored value, archive file and fold, and report what is damaged",
  args: ["[thread]"],
  options: [
    [
      "--repair <copy>",
      "restore damaged parts in a copy, from other parts of the storage: a new SQLite file, or an empty Postgres database; the storage itself does not change",
    ],
    ["--from <backup>", "with --repair: also restore parts from this healthy backup, which is only read"],
  ],
  async run(input) {
    const { options, args, target, secrets, progress } = input;
    const { repair: copy, from } = options;
    if (typeof copy !== "string" && from !== undefined)
      throw new UsageError("Pass --from with --repair COPY.");
    if (typeof copy !== "string") return report(await checkStorage(input));
    if (args[0] !== undefined) throw new UsageError("--repair repairs every thread. Pass no thread.");
    checkCopy(target, copy);
    const backup = typeof from === "string" ? from : undefined;
    if (backup !== undefined) await (await openStorage(backup)).close();
    const found = await checkStorage(input);
    progress(`copying ${oneLine(nameOf(target), 60)}`);
    const { restored: parts, lost } = await repairCopy({ storage: target, copy, from: backup });
    const saver = await openStorage(copy, { secrets, canWrite: true });
    try {
      const restored = [...parts, ...(await sealAgain(saver))];
      const { checked, damage } = await checkStorage({ saver, args: [], progress });
      const left = { checked, damage: [...damage, ...lost.map(inList)] };
      return repairReport({ copy: nameOf(copy), found, restored, left });
    } finally {
      await saver.close();
    }
  },
};

/** Names what may be missing from a list of the storage. */
function inList({ threadId: thread, error }: DamagedPart): CheckedStorage["damage"][number] {
  return { thread, what: "entry", error: error.message };
}

function report({ checked, damage }: CheckedStorage): Report {
  const lines = damage.map(({ thread, what, error }) => `${thread}: ${what}: ${error}\n`);
  const counts = Object.entries(checked).map(
    ([name, number]) => `${count(number)} ${number === 1 ? name.slice(0, -1) : name}`,
  );
  const hint = damage.some(({ error }) => error.includes("another tenant key")) ? keyHint : "";
  const text = `${terminalText(lines.join(""))}${hint}${counts.join(", ")}: ${damage.length} damaged\n`;
  return { data: { ...checked, damage }, text, isFailure: damage.length > 0 };
}

const keyHint = `Workspace files of a saver with a tenantKey are checked only with that key: pass it with --tenant-key or
PALIMPSEST_TENANT_KEY. Where several tenants share the storage, verify the threads of each with its own.
`;

interface Repaired {
  readonly copy: string;
  /** In the storage. */
  readonly found: CheckedStorage;
  readonly restored: readonly RestoredPart[];
  /** In the copy. */
  readonly left: CheckedStorage;
}

/** Fails only if something stays lost. */
function repairReport({ copy, found, restored, left }: Repaired): Report {
  const parts = restored.map(({ threadId, what, from }) => ({ thread: threadId, what, from }));
  const lines = parts.map(({ thread, what, from }) => `${thread}: ${what}: restored from ${from}\n`);
  const lost = report(left);
  const text = `${terminalText(lines.join(""))}${lost.text}${found.damage.length} were damaged; ${parts.length} parts are restored in ${terminalText(copy)}.\n`;
  return { ...lost, text, data: { copy, damage: found.damage, restored: parts, lost: left.damage } };
}
