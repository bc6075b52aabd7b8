import { isUtf8 } from "node:buffer";
import type { ReadRawResult } from "./backend.js";
import { decodeText } from "./decode-text.js";
import type { DriverEntry, FileDriver } from "./file-driver.js";
import { isTextMimeType, mimeType } from "./mime-type.js";
import { readWhole } from "./read-whole.js";

/** Returns a whole file: text when its bytes are text, else the bytes, so that nothing is replaced. */
export async function readRaw(driver: FileDriver, { path, modifiedAt }: DriverEntry): Promise<ReadRawResult> {
  const bytes = await readWhole(driver, path);
  const type = mimeType(path);
  const isText = isTextMimeType(type) && isUtf8(bytes);
  return {
    data: {
      content: isText ? decodeText(bytes) : bytes,
      mimeType: isText || !isTextMimeType(type) ? type : "application/octet-stream",
      created_at: modifiedAt,
      modified_at: modifiedAt,
    },
  };
}
