import { FileError, MemoryDriver } from "@palimpsest/vfs";

/** Storage that refuses every write while it is down. */
export class OutageDriver extends MemoryDriver {
  isDown = false;

  override async write(...args: Parameters<MemoryDriver["write"]>): Promise<boolean> {
    // An error of this class is not tried again after a pause, which would only make the play slower.
    if (this.isDown)
      throw new FileError("read-only", `${args[0]} cannot be written: the storage is read-only`);
    return super.write(...args);
  }
}
