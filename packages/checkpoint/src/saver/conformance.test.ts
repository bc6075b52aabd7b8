import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { mongoSaver } from "../testing/graph-savers.js";
import { testedSavers } from "../testing/savers.js";
import type { VfsSaver } from "./vfs-saver.js";

for (const { name, create } of [...testedSavers, mongoSaver]) {
  const initializer = {
    checkpointerName: `VfsSaver, ${name}`,
    createCheckpointer: create,
    destroyCheckpointer: async (saver: VfsSaver) => saver.close(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
