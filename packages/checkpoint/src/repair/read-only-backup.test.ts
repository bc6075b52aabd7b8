import { Client } from "pg";
import { describe, expect, it } from "vitest";
import { VfsSaver } from "../saver/vfs-saver.js";
import { newDatabase } from "../testing/empty-postgres.js";
import { repairStorage } from "./repair-storage.js";

const server = process.env["PALIMPSEST_POSTGRES_URL"];

describe.each(server ? [server] : [])("a repair from a Postgres database", (url) => {
  it("creates nothing in a place that holds no backup, and says that it holds none", async () => {
    const [storage, empty] = await Promise.all(
      ["storage", "no_backup"].map(async (name) => newDatabase(url, `palimpsest_${name}_${process.pid}`)),
    );
    await (await VfsSaver.fromPostgres(storage ?? "")).close();
    const format = { messagesIn: () => [], filesFrom: () => [] };
    await expect(repairStorage(storage ?? "", { ...format, from: empty })).rejects.toMatchObject({
      code: "not-found",
    });
    const client = new Client({ connectionString: empty });
    await client.connect();
    const { rows } = await client.query("SELECT relname FROM pg_class WHERE relname LIKE 'palimpsest%'");
    await client.end();
    expect(rows).toEqual([]);
  });
});
