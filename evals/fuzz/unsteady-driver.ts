import { MemoryDriver, type FileDriver } from "@palimpsest/vfs";

/** The outcome of a write. `deaf` acknowledges it and keeps nothing. */
export type WriteFate = "kept" | "throws" | "deaf";

/** An engine whose writes fail by a list of outcomes, repeated. */
export class UnsteadyDriver extends MemoryDriver implements FileDriver {
  #written = 0;

  constructor(readonly fates: readonly WriteFate[]) {
    super();
  }

  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    const fate = this.fates[this.#written++ % Math.max(1, this.fates.length)] ?? "kept";
    if (fate === "throws") throw new Error("ENOSPC: no space left on device");
    return fate === "deaf" ? true : super.write(...args);
  }
}
