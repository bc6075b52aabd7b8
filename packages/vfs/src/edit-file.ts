import { isUtf8 } from "node:buffer";
import type { EditResult } from "./backend.js";
import { decodeText } from "./decode-text.js";
import { editText } from "./edit-text.js";
import type { TextEdit } from "./edit-text.js";
import { encodeText } from "./encode-text.js";
import type { FileDriver } from "./file-driver.js";
import { FileError } from "./file-error.js";
import { findFile } from "./find-file.js";
import { lockPath } from "./lock-path.js";
import { normalizePath } from "./normalize-path.js";
import { readWhole } from "./read-whole.js";

/** Returns how often the text was replaced, or why it was not. Throws a FileError for a path that is no text file. */
export async function editFile(driver: FileDriver, path: string, edit: TextEdit): Promise<EditResult> {
  return lockPath(driver, normalizePath(path), async () => {
    const entry = await findFile(driver, path);
    const bytes = await readWhole(driver, entry.path);
    if (!isUtf8(bytes)) {
      throw new FileError(
        "not-utf8",
        `${entry.path} is not UTF-8 text, and an edit would damage it. Write a new file instead.`,
      );
    }
    const edited = editText(decodeText(bytes), edit);
    if ("error" in edited) return { error: `${entry.path} was not edited: ${edited.error}` };
    await driver.write(entry.path, encodeText(edited.content, entry.path));
    return { path: entry.path, occurrences: edited.occurrences };
  });
}
