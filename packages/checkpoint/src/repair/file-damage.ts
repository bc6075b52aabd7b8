import { FileError, type Archive } from "@palimpsest/vfs";

/** Returns the result of `read`; on a FileError runs `then` and returns undefined. */
export async function onFileError<T>(read: () => Promise<T>, then: () => void): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (!FileError.isInstance(error)) throw error;
    then();
    return undefined;
  }
}

/** Yields the paths of an archive. */
export async function* pathsOf(archive: Archive): AsyncGenerator<string> {
  for await (const paths of archive.listPaths()) yield* paths;
}
