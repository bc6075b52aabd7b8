import { SessionError } from "@palimpsest/sessions";
import { UsageError } from "../../cli-error.js";
import { noteUnpriced, pricesOption, readPrices } from "../../read-prices.js";
import { count, oneLine } from "../../terminal-text.js";
import { countOption, type FileVerb } from "../../verb.js";
import { checkNew, writeNew } from "../../write-new.js";
import { redacted } from "../redact.js";
import { sessionFiles } from "../session-files.js";
import { auditHtml } from "./audit-html.js";
import { auditSession, type SessionAudit } from "./audit-session.js";
import { auditsText } from "./audit-text.js";

/** Says of each compaction of a session what it lost, what was worked again and what it cost. Needs no storage. */
export const audit: FileVerb = {
  name: "audit",
  description: "Say what each compaction of a session lost, what was worked again, and what it cost",
  args: ["<paths...>"],
  options: [
    ["--html <file>", "write a page to a new file as well"],
    ["--most <number>", "losses to list for each compaction", "12"],
    ["--redact", "leave out what looks like a password or a key; needs the package @secretlint/core"],
    pricesOption,
  ],
  async run({ args, options, progress, notice }) {
    const pricesOf = readPrices(options);
    const most = countOption(options, "most");
    const page = options["html"] === undefined ? undefined : String(options["html"]);
    if (page !== undefined) checkNew(page);
    const found: SessionAudit[] = [];
    let refused = 0;
    for (const path of sessionFiles(args.filter((one) => one !== undefined))) {
      progress(`auditing ${oneLine(path, 80)}`);
      try {
        found.push(await auditSession(path));
      } catch (error) {
        // One file that is no session stops none of the others.
        if (!SessionError.isInstance(error)) throw error;
        refused += 1;
        notice(oneLine(error.message, 400));
      }
    }
    if (found.length === 0) throw new UsageError("None of the files is a session. The lines above say why.");
    const audits = options["redact"] === true ? await redacted(found) : found;
    const models = audits.flatMap(({ compactions }) =>
      compactions.flatMap(({ cost: { model } }) => model ?? []),
    );
    noteUnpriced(models, pricesOf, { options, notice });
    const text = auditsText(audits, { pricesOf, most });
    if (page === undefined) return { data: audits, text, isFailure: refused > 0 };
    const html = auditHtml(audits, pricesOf);
    writeNew(page, html);
    return {
      data: audits,
      text: `${text}\n${page}: ${count(Buffer.byteLength(html))} bytes\n`,
      isFailure: refused > 0,
    };
  },
};
