import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { CliError } from "../cli-error.js";
import { count } from "../terminal-text.js";
import type { Report, VerbInput } from "../verb.js";
import { checkNew } from "../write-new.js";
import { sourceOf } from "./source-copy.js";
import { importedSession } from "./thread-writer.js";

/** Writes the file of a session from the archive of its thread. */
export async function writeSource({ saver, args }: VerbInput, path: string): Promise<Report> {
  const [thread = ""] = args;
  checkNew(path);
  const session = await importedSession(saver, thread);
  if (session === undefined)
    throw new CliError(
      `The thread ${JSON.stringify(thread)} was not imported from a session. Leave --source out.`,
    );
  let bytes = 0;
  const parts = async function* parts(): AsyncGenerator<Uint8Array> {
    for await (const part of sourceOf(saver.files.archive(thread), session)) {
      bytes += part.length;
      yield part;
    }
  };
  await pipeline(Readable.from(parts()), createWriteStream(path, { flags: "wx" }));
  return { data: { path, bytes }, text: `${path}: ${count(bytes)} bytes, as they were imported\n` };
}
