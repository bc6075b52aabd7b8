import { isUtf8 } from "node:buffer";
import type { EditResult } from "../backend.js";
import { hasFilesBelow } from "../drivers/file-driver.js";
import type { FileDriver } from "../drivers/file-driver.js";
import { lockPath } from "../drivers/scope-driver.js";
import { FileError, showValue } from "../errors.js";
import { normalizeFilePath, normalizePath } from "../paths.js";
import { findFile, listFiles, readWhole } from "../reading/find-files.js";
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
 * Returns the text with the old string replaced, or why it was not. Pure; both strings are plain text.
 * An empty old string fills an empty text.
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
        `${showValue(oldString)} is there ${occurrences} times. ` +
        "Add surrounding lines until it is unique, or replace all of them.",
    };
  }
  return { content: pieces.join(newString), occurrences };
}

function explainAbsence(content: string, oldString: string): string {
  const missing = `${showValue(oldString)} is there 0 times.`;
  if (
    content.includes("\r\n") &&
    content.replaceAll("\r\n", "\n").includes(oldString.replaceAll("\r\n", "\n"))
  ) {
    return `${missing} The lines of the file end in \\r\\n: edit within one line, or write \\r\\n between lines.`;
  }
  return `${missing} Read the file again and copy the text exactly, with its spaces and line breaks.`;
}

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

/**
 * Returns the path of the written file. Throws a FileError "is-directory" or "not-directory" where the path, or one above
 * it, is taken: engines without directories would store both, and then hold what no directory on disk can.
 */
export async function writeFile(driver: FileDriver, path: string, bytes: Uint8Array): Promise<string> {
  const normal = normalizeFilePath(path);
  return lockPath(driver, normal, async () => {
    if ((await driver.stat(normal)) === undefined) await checkFree(driver, normal);
    await driver.write(normal, bytes);
    return normal;
  });
}

async function checkFree(driver: FileDriver, path: string): Promise<void> {
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

/** Returns the path after deleting the file there, or every file below it. Throws a FileError "not-found", or for `/`. */
export async function deleteFiles(driver: FileDriver, path: string): Promise<string> {
  const normal = normalizePath(path);
  if (normal === "/") {
    throw new FileError("invalid-path", "/ is the root and stays. Delete files or directories below it.");
  }
  const paths: string[] = [];
  for await (const entry of listFiles(driver, normal)) paths.push(entry.path);
  await Promise.all(paths.map(async (file) => driver.delete(file)));
  return normal;
}
