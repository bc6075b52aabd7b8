import { DriverBackend } from "./driver-backend.js";
import { MemoryDriver } from "./memory-driver.js";

/** A backend over files in this process. */
export class MemoryBackend extends DriverBackend {
  constructor() {
    super(new MemoryDriver());
  }
}
