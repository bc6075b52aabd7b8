import { createServer, type AddressInfo } from "node:net";
import { Client, Pool } from "pg";
import { expect, it } from "vitest";
import { openPool, wrongPostgres } from "./postgres-pool.js";

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
  [`${url}?schema=a%22b`, {}, 'schema is "a\\"b"'],
])("%o with %o is refused, without its secrets", (source, options, message) => {
  const wrong = wrongPostgres(source, options);
  expect(wrong).toContain(message);
  expect(wrong).not.toContain("secret");
});

/** Returns a message of Postgres' protocol. */
function message(type: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + body.length);
  return Buffer.concat([Buffer.from(type), length, body]);
}

it("a server that goes down in the moment in which a connection is handed out does not end the process", async () => {
  const ready = [message("R", Buffer.alloc(4)), message("Z", Buffer.from("I"))];
  const down = message(
    "E",
    Buffer.from("SFATAL\0C57P01\0Mterminating connection due to administrator command\0\0"),
  );
  const server = createServer((socket) => {
    socket.on("error", () => undefined);
    // In one chunk: the pool gets both before anybody else runs.
    socket.once("data", () => socket.end(Buffer.concat([...ready, down])));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  const limits = { connections: 1, connectionTimeout: 2_000 };
  const source = { host: "127.0.0.1", port, user: "me", database: "agents" };
  const pool = await openPool(source, limits, (_, text) => new Error(text));
  const connection = await pool.connect();
  await expect(connection.query("SELECT 1")).rejects.toThrow("Client has encountered a connection error");
  connection.release(new Error("lost"));
  await pool.end();
  server.close();
});
