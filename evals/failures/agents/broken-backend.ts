import { FilesystemBackend } from "deepagents";
import type { StorageState } from "../world/world.js";

/** deepagents' backend over a directory, whose writes fail while `state` is not "sound". */
export class BrokenBackend extends FilesystemBackend {
  constructor(
    rootDir: string,
    readonly state: StorageState,
  ) {
    super({ rootDir, virtualMode: true });
  }

  override async write(...args: Parameters<FilesystemBackend["write"]>) {
    return this.#refusal() ?? super.write(...args);
  }

  override async uploadFiles(...args: Parameters<FilesystemBackend["uploadFiles"]>) {
    const refused = this.#refusal();
    return refused === undefined
      ? super.uploadFiles(...args)
      : args[0].map(([path]) => ({ path, error: "permission_denied" as const }));
  }

  #refusal(): { readonly error: string } | undefined {
    if (this.state === "throws") throw new Error("ENOSPC: no space left on device");
    return this.state === "refuses" ? { error: "no space left on device" } : undefined;
  }
}
