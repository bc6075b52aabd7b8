import { Postgres } from "@palimpsest/sql";
import { describe, expect, it, vi } from "vitest";
import { CheckpointError } from "../checkpoint-error.js";
import { newDatabase } from "../testing/empty-postgres.js";
import { PostgresDriver } from "./postgres-driver.js";

const given = process.env["PALIMPSEST_POSTGRES_URL"];

describe.each(given ? [given] : [])("a driver on Postgres", (url) => {
  it("writes a batch in one statement and reads it back in one, with files that are empty, long or given twice", async () => {
    const postgres = await Postgres.open(await newDatabase(url, `palimpsest_batch_${process.pid}`), {
      connections: 2,
      connectionTimeout: 30_000,
      isDurable: false,
      createError: (failure, message, cause) => new CheckpointError(failure, message, { cause }),
    });
    const driver = new PostgresDriver(postgres);
    await driver.write("/first", new Uint8Array([1]));
    const files = Array.from({ length: 300 }, (_, index) => ({
      path: `/batch/${index}`,
      bytes: Buffer.alloc(index % 100 === 0 ? index * 4_000 : 2_500, `${index} written `),
    }));
    const statements = vi.spyOn(postgres, "query");
    await driver.writeAll([...files, { path: "/batch/1", bytes: new Uint8Array([2]) }]);
    expect(statements).toHaveBeenCalledTimes(1);
    const found = await driver.readAll([...files.map(({ path }) => path), "/none"]);
    expect(statements).toHaveBeenCalledTimes(2);
    expect(found.map((bytes) => bytes && Buffer.from(bytes).toString("base64"))).toEqual([
      ...files.map(({ bytes }) => bytes.toString("base64")),
      undefined,
    ]);
    await postgres.close();
  });
});
