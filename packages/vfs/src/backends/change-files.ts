import { isUtf8 } from "node:buffer";
import type { EditResult } from "../backend.js";
import { hasFilesBelow } from "../drivers/file-driver.js";
import type { FileDriver } from "../drivers/file-driver.js";
import { lockPath } from "../drivers/scope-driver.js";
import { FileError, notFound, showValue } from "../errors.js";
import type { NormalPath } from "../paths.js";
import { findFile, readWhole } from "../reading/find-files.js";
import { decodeText, encodeText } from "../reading/utf8.js";

export interface TextEdit {
  readonly oldString: string;
  readonly newString: string;
  /** @default false */
  readonly replaceAll?: boolean;
}

export type EditedText =
  | { readonly content: string; readonly occurrences: number }
  | { readonly error: string };

/**
 * Returns the text with the old string replaced, or the reason why not. Both strings are plain text. An empty old string
 * is allowed in an empty text only. Pure.
 */
export function editText(
  content: string,
  { oldString, newString, replaceAll = false }: TextEdit,
): EditedText {
  if (typeof oldString !== "string" || typeof newString !== "string") {
    return { error: "An edit needs two strings: the text to replace and the text to put there." };
  }
  if (content === "" && oldString === "") return { content: newString, occurrences: 0 };
  if (oldString === "") return { error: "The text to replace is empty. Give the exact text to replace." };
  if (oldString === newString)
    return { error: "The new text equals the old text: there is nothing to change." };
  const pieces = content.split(oldString);
  const occurrences = pieces.length - 1;
  if (occurrences === 0) return { error: explainAbsence(content, oldString) };
  if (occurrences > 1 && !replaceAll) {
    return {
      error:
        `${showValue(oldString)} occurs ${occurrences} times. ` +
        "Add surrounding lines until it is unique, or replace all of them.",
    };
  }
  return { content: pieces.join(newString), occurrences };
}

function explainAbsence(content: string, oldString: string): string {
  const missing = `${showValue(oldString)} occurs 0 times.`;
  if (
    content.includes("\r\n") &&
    content.replaceAll("\r\n", "\n").includes(oldString.replaceAll("\r\n", "\n"))
  ) {
    return `${missing} The lines of the file end in \\r\\n: edit within one line, or write \\r\\n between lines.`;
  }
  return `${missing} Read the file again and copy the text exactly, with its spaces and line breaks.`;
}

/** Returns the number of replacements, or the reason for none. Throws a FileError when the path is not a text file. */
export async function editFile(driver: FileDriver, path: NormalPath, edit: TextEdit): Promise<EditResult> {
  return lockPath(driver, path, async () => {
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

/**
 * Returns the path of the written file. Throws a FileError "is-directory" when the path is a directory, and "not-directory"
 * when it lies below a file: an engine without directories would store both, which no directory on disk can hold.
 */
export async function writeFile(driver: FileDriver, path: NormalPath, bytes: Uint8Array): Promise<string> {
  return lockPath(driver, path, async () => {
    if ((await driver.stat(path)) === undefined) await checkFree(driver, path);
    await driver.write(path, bytes);
    return path;
  });
}

async function checkFree(driver: FileDriver, path: NormalPath): Promise<void> {
  if (await hasFilesBelow(driver, path)) {
    throw new FileError("is-directory", `${path} is a directory. Write to a file below it.`);
  }
  const above = path.split("/").slice(1, -1);
  const parents = above.map((_, index) => `/${above.slice(0, index + 1).join("/")}`);
  const found = await Promise.all(parents.map(async (parent) => driver.stat(parent)));
  const file = found.find((entry) => entry !== undefined);
  if (file) {
    throw new FileError(
      "not-directory",
      `${path} lies below the file ${file.path}. Choose a directory for it.`,
    );
  }
}

/** Deletes a file, or every file below a directory. Throws a FileError "not-found", and "invalid-path" for `/`. */
export async function deleteFiles(driver: FileDriver, path: NormalPath): Promise<string> {
  if (path === "/") {
    throw new FileError("invalid-path", "/ is the root. Delete files or directories below it.");
  }
  // First, because in a directory on disk the path may be a link: what it leads to stays.
  const isDeleted = await driver.delete(path);
  const paths: string[] = [];
  for await (const entry of driver.list(path)) paths.push(entry.path);
  if (!isDeleted && paths.length === 0) throw notFound(path);
  await Promise.all(paths.map(async (file) => driver.delete(file)));
  return path;
}
