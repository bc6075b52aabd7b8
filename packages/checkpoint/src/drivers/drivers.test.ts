import { testDriver } from "@palimpsest/vfs/testing";
import { testedSavers } from "../testing/savers.js";

for (const { name, create } of testedSavers) {
  testDriver({ name: `files of ${name}`, create: async () => (await create()).files.driver, numRuns: 10 });
}
