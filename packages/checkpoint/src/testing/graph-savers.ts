import { randomBytes } from "node:crypto";
import { MongoDBSaver } from "@langchain/langgraph-checkpoint-mongodb";
import { PostgresSaver } from "@langchain/langgraph-checkpoint-postgres";
import { SqliteSaver } from "@langchain/langgraph-checkpoint-sqlite";
import { MemoryDriver } from "@palimpsest/vfs";
import Database from "libsql";
import { ClientInMemory } from "./collections-in-memory.js";
import { newDatabase } from "./empty-postgres.js";
import { testedSavers } from "./savers.js";
import type { TestedSaver } from "./savers.js";
import { VfsSaver } from "../saver/vfs-saver.js";

const postgresUrl = process.env["PALIMPSEST_POSTGRES_URL"];

let opening: Promise<PostgresSaver> | undefined;

async function emptyPostgresSaver(url: string): Promise<PostgresSaver> {
  // A new name each time: creating a database drops its namesake, and an idle connection of this saver that is lost throws.
  opening ??= newDatabase(url, `palimpsest_wrapped_${randomBytes(6).toString("hex")}`).then(
    async (database) => {
      const saver = PostgresSaver.fromConnString(database);
      await saver.setup();
      return saver;
    },
  );
  const saver = await opening;
  for (const thread of ["a", "b"]) await saver.deleteThread(thread);
  return saver;
}

/** A wrapped MongoDBSaver with its collections in memory. */
export const mongoSaver: TestedSaver = {
  name: "wrapped MongoDBSaver",
  create: async (options) =>
    VfsSaver.wrap(new MongoDBSaver({ client: new ClientInMemory() as never }), {
      ...options,
      blobs: new MemoryDriver(),
    }),
};

/** Every engine: our own, and savers of LangGraph that are wrapped. */
export const graphSavers: readonly TestedSaver[] = [
  ...testedSavers,
  {
    name: "wrapped SqliteSaver",
    create: async () => {
      const saver = new SqliteSaver(new Database(":memory:"));
      // It creates its tables with the first read: before that its deleteThread fails.
      await saver.getTuple({ configurable: { thread_id: "a" } });
      return VfsSaver.wrap(saver, { blobs: new MemoryDriver() });
    },
  },
  mongoSaver,
  ...(postgresUrl
    ? [
        {
          name: "wrapped PostgresSaver",
          create: async () =>
            VfsSaver.wrap(await emptyPostgresSaver(postgresUrl), { blobs: new MemoryDriver() }),
        },
      ]
    : []),
];
