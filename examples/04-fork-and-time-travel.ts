// Goes back to an earlier checkpoint, and the files with it. Run: npx tsx examples/04-fork-and-time-travel.ts
//
// `VfsSaver` keeps checkpoints and files in one place. The files of a checkpoint are those of its time, so a run can go on
// from any of them: both branches have their own files, and share what they have in common.
import { VfsSaver } from "@palimpsest/checkpoint";
import { printTree } from "./shared/print-tree.js";
import { ask, filesAt, writingAgent } from "./shared/writing-agent.js";

const saver = VfsSaver.inMemory(); // VfsSaver.fromPath("agent.db") keeps all of it in one file
const agent = writingAgent(saver);
const thread = { configurable: { thread_id: "report" } };

const outline = await ask(agent, "Write 1. Introduction 2. Costs to /outline.md", thread);
const draft = await ask(agent, "Write Costs rose by 12 %. to /report.md", thread);

// The fork: the same thread, from the checkpoint before the draft.
const other = await ask(agent, "Write Costs fell by 3 %. to /report.md", outline);
// The first branch goes on as if nothing had happened.
const longer = await ask(agent, "Write Rents are the reason. to /appendix.md", draft);

const turns = { outline, draft, other, longer };
for (const [name, config] of Object.entries(turns)) {
  console.log(`${name}:`, await filesAt(agent, saver, config));
}
console.log("\nThe checkpoints at which a turn ended:");
await printTree(saver, turns);

// Only the newest checkpoint is needed any more: the rest, and the files that only they had, can go.
const { checkpoints } = await saver.prune("report", { keepLast: 1 });
console.log(
  `\nprune deleted ${checkpoints} checkpoints; the newest still has`,
  await filesAt(agent, saver, longer),
);
