import { MemoryDriver } from "@palimpsest/vfs";

/** A driver whose disk can be full: while `full`, every write is refused. */
export class FailingDriver extends MemoryDriver {
  full = false;
  refused = 0;

  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    if (!this.full) return super.write(...args);
    this.refused++;
    throw new Error("ENOSPC: no space left on device");
  }
}
