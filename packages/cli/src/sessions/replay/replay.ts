import { SessionError } from "@palimpsest/sessions";
import { UsageError } from "../../cli-error.js";
import { pricesOption, readPrices } from "../../read-prices.js";
import { count, oneLine } from "../../terminal-text.js";
import { countOption, type FileVerb, type FileVerbInput, type Report } from "../../verb.js";
import { checkNew, writeNew } from "../../write-new.js";
import { sessionFiles } from "../session-files.js";
import { policies } from "./policies.js";
import { Replay, type ReplayedSession, type ReplayOptions } from "./replay-session.js";
import { replayHtml, replayText, tunedText } from "./replay-text.js";
import { tune } from "./tune.js";

/** Plays sessions under policies of this project, beside what happened. Needs no storage, and calls no model. */
export const replay: FileVerb = {
  name: "replay",
  description:
    "Play sessions under other policies, beside what happened: prompts, overflow, bill, and what later steps needed",
  args: ["<paths...>"],
  options: [
    [
      "--policy <names>",
      `policies, with commas between them: ${Object.keys(policies).join(", ")}`,
      "default,offload",
    ],
    ["--window <tokens>", "the context window (default: what the session says, else 200,000)"],
    ["--tune", "search the settings on one half of the sessions, and report them on the other half"],
    ["--html <file>", "write a page to a new file as well"],
    pricesOption,
  ],
  async run(input) {
    const { args, options } = input;
    const window = options["window"] === undefined ? undefined : countOption(options, "window");
    const given = { window, pricesOf: readPrices(options) };
    const paths = sessionFiles(args.filter((one) => one !== undefined));
    if (options["tune"] === true) return tuned(paths, given, input);
    const names = String(options["policy"]).split(",");
    const wrong = names.find((name) => !Object.hasOwn(policies, name));
    if (wrong !== undefined)
      throw new UsageError(
        `There is no policy ${JSON.stringify(wrong)}. Pass some of ${Object.keys(policies).join(", ")}.`,
      );
    return replayed(paths, { ...given, names }, input);
  },
};

type Given = ReplayOptions & { readonly names: readonly string[] };

async function replayed(
  paths: readonly string[],
  { names, ...given }: Given,
  input: FileVerbInput,
): Promise<Report> {
  const { options, progress, notice } = input;
  const page = options["html"] === undefined ? undefined : String(options["html"]);
  if (page !== undefined) checkNew(page);
  const sessions: ReplayedSession[] = [];
  let refused = 0;
  for (const path of paths) {
    progress(`replaying ${oneLine(path, 80)}`);
    const opened = await openOrNote(path, given, notice);
    if (opened === undefined) refused += 1;
    else sessions.push(await opened.under(names));
  }
  if (sessions.length === 0) throw new UsageError("None of the files is a session. The lines above say why.");
  const text = replayText(sessions);
  if (page === undefined) return { data: sessions, text, isFailure: refused > 0 };
  const html = replayHtml(sessions);
  writeNew(page, html);
  return {
    data: sessions,
    text: `${text}\n${page}: ${count(Buffer.byteLength(html))} bytes\n`,
    isFailure: refused > 0,
  };
}

async function tuned(
  paths: readonly string[],
  given: ReplayOptions,
  { progress, notice }: FileVerbInput,
): Promise<Report> {
  const sessions: string[] = [];
  for (const path of paths) if ((await openOrNote(path, given, notice)) !== undefined) sessions.push(path);
  let done = 0;
  const result = await tune(sessions, async (path) => {
    progress(`replaying ${oneLine(path, 60)}, ${++done} of ${sessions.length}`);
    return Replay.of(path, given);
  });
  return { data: result, text: tunedText(result) };
}

/** One file that is no session stops none of the others. */
async function openOrNote(
  path: string,
  given: ReplayOptions,
  notice: FileVerbInput["notice"],
): Promise<Replay | undefined> {
  try {
    return await Replay.of(path, given);
  } catch (error) {
    if (!SessionError.isInstance(error)) throw error;
    notice(oneLine(error.message, 400));
    return undefined;
  }
}
