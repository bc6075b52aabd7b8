import { deltaChannelHistoryTests, validate } from "@langchain/langgraph-checkpoint-validation";
import { testedSavers } from "../testing/savers.js";
import type { VfsSaver } from "./vfs-saver.js";

for (const { name, create } of testedSavers) {
  const initializer = {
    checkpointerName: `VfsSaver, ${name}`,
    createCheckpointer: create,
    destroyCheckpointer: async (saver: VfsSaver) => saver.close(),
  };
  validate(initializer);
  deltaChannelHistoryTests(initializer);
}
