import type { FileDownloadResponse, FileUploadResponse } from "./backend.js";
import type { MountTable } from "./mount-table.js";
import { normalizePath } from "./normalize-path.js";
import { operationError } from "./operation-error.js";

/** Writes files through the mounts they belong to; one response for each, in order. Never throws. */
export async function uploadToMounts(
  table: MountTable,
  files: readonly [string, Uint8Array][],
): Promise<FileUploadResponse[]> {
  return Promise.all(
    files.map(async ([path, bytes]) => {
      try {
        const { mount, inner } = table.route(normalizePath(path));
        const [response] = await (mount.backend.uploadFiles?.([[inner, bytes]]) ?? []);
        return { path, error: response === undefined ? "permission_denied" : response.error };
      } catch (error) {
        return { path, error: operationError(error) };
      }
    }),
  );
}

/** Reads files through the mounts they belong to; one response for each, in order. Never throws. */
export async function downloadFromMounts(
  table: MountTable,
  paths: readonly string[],
): Promise<FileDownloadResponse[]> {
  return Promise.all(
    paths.map(async (path) => {
      try {
        const { mount, inner } = table.route(normalizePath(path));
        const [response] = await (mount.backend.downloadFiles?.([inner]) ?? []);
        return response ? { ...response, path } : { path, content: null, error: "permission_denied" };
      } catch (error) {
        return { path, content: null, error: operationError(error) };
      }
    }),
  );
}
