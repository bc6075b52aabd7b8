// Keeps checkpoints, files and the index of the archive in Postgres. Run: DATABASE_URL=postgresql://… npx tsx examples/05-postgres.ts
//
// Needs the package `pg`. Without DATABASE_URL it starts a server of its own where Postgres is installed, and deletes it at
// the end.
import { VfsSaver } from "@palimpsest/checkpoint";
import { searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { localPostgres } from "./shared/local-postgres.js";
import { ask, filesAt, writingAgent } from "./shared/writing-agent.js";

const given = process.env["DATABASE_URL"];
const server = given === undefined ? await localPostgres() : undefined;
const url = given ?? server?.url;

if (url === undefined) {
  console.log("There is no Postgres here. Give the url of a database as DATABASE_URL, or install Postgres:");
  console.log("  apt-get install postgresql    (Debian, Ubuntu)\n  brew install postgresql       (macOS)");
} else {
  try {
    await run(url, `example-${crypto.randomUUID()}`);
  } finally {
    await server?.stop();
  }
}

async function run(url: string, threadId: string): Promise<void> {
  const thread = { configurable: { thread_id: threadId } };
  const first = await VfsSaver.fromPostgres(url); // creates its tables where they are missing
  await ask(writingAgent(first), "Write Costs rose by 12 %. to /report.md", thread);
  const { archive } = first.files.thread(threadId); // where a node puts what it folds away
  await archive.append("/context/results/prices.md", "Rents went from 40 to 52 for a square metre.");
  await first.close();
  console.log("The first process wrote a report and ended.");

  // Any number of processes may work on one database. A connection that is lost is made again.
  const second = await VfsSaver.fromPostgres(url);
  const agent = writingAgent(second);
  console.log("The second finds", await filesAt(agent, second, thread), "and goes on:");
  const end = await ask(agent, "Write Rents are the reason. to /appendix.md", thread);
  console.log(await filesAt(agent, second, end));

  const index = await RecallIndex.fromPostgres(url);
  const search = searchHistoryTool({ files: second.files, index }); // a tool of the agent, as any other
  console.log(await search.invoke({ query: "what does a square metre cost?" }, thread));
  await index.removeThread(threadId);
  await index.close();

  await second.deleteThread(threadId);
  console.log("Deleted:", await filesAt(agent, second, thread));
  await second.close();
}
