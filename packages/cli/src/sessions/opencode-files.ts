import { existsSync, readdirSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative } from "node:path";

/** True for the folder in which opencode kept its sessions until 1.1: files of sessions, messages and parts. */
export function isOpencodeStorage(directory: string): boolean {
  return ["session", "message", "part"].every((name) => existsSync(join(directory, name)));
}

/** Returns the paths of the sessions in a storage, each that of its own file. */
export function opencodeSessions(storage: string): readonly string[] {
  return namesIn(join(storage, "session")).flatMap((project) => filesIn(join(storage, "session", project)));
}

/** Returns the storage that a path of a session is in; undefined for any other file. */
export function storageOf(path: string): string | undefined {
  const sessions = dirname(dirname(path));
  return basename(sessions) === "session" && isOpencodeStorage(dirname(sessions))
    ? dirname(sessions)
    : undefined;
}

/** Yields the files of one session as lines of the format `opencode-storage`: the parts of a message come before it. */
export async function* opencodeFileLines(storage: string, path: string): AsyncGenerator<Uint8Array> {
  const session = basename(path, ".json");
  for (const message of filesIn(join(storage, "message", session))) {
    for (const part of filesIn(join(storage, "part", basename(message, ".json"))))
      yield lineOf(storage, part);
    yield lineOf(storage, message);
  }
  for (const name of ["todo", "session_diff"]) {
    const beside = join(storage, name, `${session}.json`);
    if (existsSync(beside)) yield lineOf(storage, beside);
  }
  yield lineOf(storage, path);
}

function lineOf(storage: string, path: string): Uint8Array {
  const file = relative(storage, path).replaceAll("\\", "/");
  return Buffer.from(`${JSON.stringify({ file, text: readFileSync(path, "utf8") })}\n`);
}

/** Ids ascend with the time, so their files do. */
function filesIn(directory: string): readonly string[] {
  return namesIn(directory)
    .filter((name) => name.endsWith(".json"))
    .map((name) => join(directory, name));
}

function namesIn(directory: string): readonly string[] {
  return existsSync(directory) ? readdirSync(directory).toSorted() : [];
}
