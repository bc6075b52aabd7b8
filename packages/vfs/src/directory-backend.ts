import { DirectoryDriver } from "./directory-driver.js";
import { DriverBackend } from "./driver-backend.js";

/** A backend over a directory on disk, which is its `/`. Throws a FileError "unwritable" when it cannot be written. */
export class DirectoryBackend extends DriverBackend {
  constructor(directory: string) {
    super(new DirectoryDriver(directory));
  }
}
