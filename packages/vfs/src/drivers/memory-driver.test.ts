import { testDriver } from "../testing/index.js";
import { MemoryDriver } from "./memory-driver.js";
import { scopeDriver } from "./scope-driver.js";

testDriver({ name: "memory", create: () => new MemoryDriver(), numRuns: 100 });
testDriver({ name: "scope", create: () => scopeDriver(new MemoryDriver(), "/threads/a"), numRuns: 100 });
