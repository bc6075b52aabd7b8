import { Client, Pool } from "pg";
import { expect, it } from "vitest";
import { wrongPostgres } from "./postgres-pool.js";

const url = "postgres://me:secret@localhost/agents";

it.each([[url], ["postgresql://localhost"], [{ host: "localhost" }], [new Pool()]])(
  "a url, options and a pool are places of a database: %o",
  (source) => {
    expect(wrongPostgres(source, { schema: "My-schema_1" })).toBeUndefined();
  },
);

it.each([
  [undefined, {}, "The url of the database is undefined"],
  ["localhost:5432/with-a-long-secret", {}, 'is "localhost:5432/with-…"'],
  [Promise.resolve(), {}, "is a Promise: await it"],
  [new Client(), {}, "is one connection: pass a pg.Pool"],
  [new Pool(), { connections: 3 }, "set max of the pool"],
  [url, { connections: 0 }, "connections is 0"],
  [url, { schema: "" }, 'schema is ""'],
  [url, { schema: 'a"b' }, "schema is"],
  [url, { schema: "x".repeat(64) }, "up to 63"],
])("%o with %o is refused, without its secrets", (source, options, message) => {
  const wrong = wrongPostgres(source, options);
  expect(wrong).toContain(message);
  expect(wrong).not.toContain("secret");
});
