import { archivePrefix } from "./archive.js";
import { DriverBackend } from "./driver-backend.js";
import type { FileDriver } from "./file-driver.js";

/** Returns the archive of a thread as an agent sees it, to be mounted at `/context/`: every change is refused. */
export function archiveView(driver: FileDriver, root: string): DriverBackend {
  return new DriverBackend(driver, {
    root: root + archivePrefix,
    readOnly: `the archive is append-only. Write to a path outside ${archivePrefix}.`,
  });
}
