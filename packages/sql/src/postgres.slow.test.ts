import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { expect, it } from "vitest";
import { Postgres } from "./postgres.js";

it("a server that accepts connections and never answers is busy", async () => {
  const silent = createServer();
  await new Promise<void>((resolve) => {
    silent.listen(0, "127.0.0.1", resolve);
  });
  const { port } = silent.address() as AddressInfo;
  const postgres = await Postgres.open(`postgres://nobody@127.0.0.1:${port}/none`, {
    connections: 1,
    connectionTimeout: 20,
    isDurable: true,
    createError: (failure) => new Error(failure),
  });
  await expect(postgres.query("SELECT 1")).rejects.toThrow("busy");
  await postgres.close();
  silent.close();
});
