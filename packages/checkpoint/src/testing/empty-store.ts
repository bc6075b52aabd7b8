import { PostgresStore } from "@langchain/langgraph-checkpoint-postgres/store";
import { newDatabase } from "./empty-postgres.js";

interface OpenStore {
  readonly store: PostgresStore;
  readonly empty: () => Promise<unknown>;
}

const stores = new Map<string, Promise<OpenStore>>();

/** Returns LangGraph's PostgresStore, emptied. One process always gets the same store. */
export async function emptyStore(url: string): Promise<PostgresStore> {
  const opening = stores.get(url) ?? open(url);
  stores.set(url, opening);
  const { store, empty } = await opening;
  await empty();
  return store;
}

async function open(url: string): Promise<OpenStore> {
  const { default: pg } = await import("pg");
  const database = await newDatabase(url, `palimpsest_store_${process.pid}`);
  const store = PostgresStore.fromConnString(database);
  await store.setup();
  const pool = new pg.Pool({ connectionString: database, max: 1 });
  return { store, empty: async () => pool.query("TRUNCATE store") };
}
