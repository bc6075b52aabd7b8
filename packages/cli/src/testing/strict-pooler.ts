import { connect, createServer, type AddressInfo } from "node:net";

/** A place in front of a Postgres server that refuses the options of a session, as PgBouncer does. */
export interface StrictPooler {
  /** The url of the same database, through the pooler. */
  readonly through: (url: string) => string;
  readonly stop: () => void;
}

/** Starts a pooler for a server that trusts its clients. */
export async function startStrictPooler(server: string): Promise<StrictPooler> {
  const { hostname, port } = new URL(server);
  const listener = createServer((client) => {
    client.on("error", () => undefined);
    client.once("data", (startup) => {
      if (startup.includes("\0options\0")) {
        client.end(fatalError("08P01", "unsupported startup parameter: options"));
        return;
      }
      const upstream = connect(Number(port), hostname);
      upstream.on("error", () => client.destroy());
      upstream.write(startup);
      client.pipe(upstream).pipe(client);
    });
  });
  await new Promise<void>((resolve) => listener.listen(0, "127.0.0.1", resolve));
  const { port: own } = listener.address() as AddressInfo;
  return {
    through: (url) => {
      const place = new URL(url);
      place.port = String(own);
      return place.href;
    },
    stop: () => void listener.close(),
  };
}

/** Returns the message of Postgres' protocol with an error that ends a connection. */
function fatalError(code: string, message: string): Buffer {
  const body = Buffer.from(`SFATAL\0VFATAL\0C${code}\0M${message}\0\0`);
  const head = Buffer.from("E\0\0\0\0");
  head.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([head, body]);
}
