import { MemoryDriver, type FileDriver } from "@palimpsest/vfs";

/** The outcome of a write. `deaf` acknowledges it and keeps nothing. */
export type WriteFate = "kept" | "throws" | "deaf";

/** An engine in memory whose writes come out as `fate` says of each: an error is thrown as it is. */
export class UnsteadyDriver extends MemoryDriver implements FileDriver {
  #written = 0;

  constructor(readonly fate: (write: number, path: string) => WriteFate | Error) {
    super();
  }

  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    const fate = this.fate(this.#written++, args[0]);
    if (fate === "throws") throw new Error("ENOSPC: no space left on device");
    if (fate instanceof Error) throw fate;
    return fate === "deaf" ? true : super.write(...args);
  }
}
