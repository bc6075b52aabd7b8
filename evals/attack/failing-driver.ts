import { MemoryDriver } from "@palimpsest/vfs";

/** A storage of which a share of the writes fail, the same ones in every run. */
export class FailingDriver extends MemoryDriver {
  #seed = 7;

  /** From 0 to 1; 0 is a storage that works again. */
  constructor(public share: number) {
    super();
  }

  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    this.#seed = (this.#seed * 48_271) % 2_147_483_647;
    if (this.#seed / 2_147_483_647 < this.share) throw new Error("EIO: the storage does not answer");
    return super.write(...args);
  }
}
