import { createServer } from "node:net";
import type { AddressInfo, Server, Socket } from "node:net";
import { fatalError, Frames, readStartup, typeOf } from "./frames.js";
import { ServerConnection, ServerConnections } from "./server-connections.js";

/** Parameters of a session that PgBouncer takes. It refuses the others. */
const taken = new Set([
  "user",
  "database",
  "application_name",
  "client_encoding",
  "datestyle",
  "timezone",
  "standard_conforming_strings",
]);

/**
 * A pooler as PgBouncer before 1.21 in transaction mode: a client has a connection of the server for a transaction, and the next
 * transaction may have another one. Nothing is reset in between, and prepared statements stay where they are. For a server that trusts
 * its clients.
 */
export class TransactionPooler {
  /** The url of a database through the pooler. */
  readonly url: string;
  /** How many transactions were begun on another connection than the one before of the same client. */
  switches = 0;
  readonly #server: Server;
  readonly #port: number;
  readonly #connections: number;
  readonly #pools = new Map<string, ServerConnections>();
  readonly #clients = new Set<Socket>();

  private constructor(server: Server, url: URL, connections: number) {
    this.#server = server;
    this.#port = Number(url.port);
    this.#connections = connections;
    const own = new URL(url);
    own.port = String((server.address() as AddressInfo).port);
    this.url = own.href;
    server.on("connection", (socket) => this.#accept(socket));
  }

  /** Starts a pooler before the server at `url`, with so many connections for each role and database. */
  static async start(url: string, connections = 3): Promise<TransactionPooler> {
    const server = createServer({ noDelay: true });
    await new Promise<void>((resolve) => {
      server.listen(0, "127.0.0.1", resolve);
    });
    return new TransactionPooler(server, new URL(url), connections);
  }

  async stop(): Promise<void> {
    for (const client of this.#clients) client.destroy();
    for (const pool of this.#pools.values()) pool.close();
    await new Promise((resolve) => {
      this.#server.close(resolve);
    });
  }

  #accept(socket: Socket): void {
    const frames = new Frames();
    this.#clients.add(socket);
    const state: { client?: PooledClient } = {};
    socket.on("data", (bytes) => {
      frames.add(bytes);
      while (!state.client && socket.writable) {
        const first = frames.nextStartup();
        if (first === undefined) return;
        this.#begin(socket, first, state);
      }
      for (let message; (message = frames.next());) state.client?.send(message);
    });
    socket.on("error", () => undefined);
    socket.on("close", () => {
      this.#clients.delete(socket);
      state.client?.leave();
    });
  }

  #begin(socket: Socket, startup: Buffer, state: { client?: PooledClient }): void {
    const { kind, parameters } = readStartup(startup);
    if (kind === "encryption") return void socket.write("N");
    if (kind === "cancel") return void socket.end();
    const unknown = Object.keys(parameters).find((name) => !taken.has(name.toLowerCase()));
    if (unknown !== undefined)
      return void socket.end(fatalError("08P01", `unsupported startup parameter: ${unknown}`));
    state.client = new PooledClient(socket, this.#poolOf(parameters, startup), () => (this.switches += 1));
    void state.client.welcome();
  }

  #poolOf(
    { user = "", database = user }: Readonly<Record<string, string>>,
    startup: Buffer,
  ): ServerConnections {
    const key = JSON.stringify([user, database]);
    const open = async () => ServerConnection.open(this.#port, startup);
    const pool = this.#pools.get(key) ?? new ServerConnections(this.#connections, open);
    this.#pools.set(key, pool);
    return pool;
  }
}

/** A client of the pooler. */
class PooledClient {
  readonly #socket: Socket;
  readonly #pool: ServerConnections;
  readonly #onSwitch: () => void;
  #server: ServerConnection | undefined;
  #last: ServerConnection | undefined;
  #isTaking = false;
  #waiting: Buffer[] = [];
  /** Messages that the server answers with "ready", and has not yet. */
  #unanswered = 0;
  /** Messages since the last one that the server answers with "ready". */
  #unsynced = 0;

  constructor(socket: Socket, pool: ServerConnections, onSwitch: () => void) {
    this.#socket = socket;
    this.#pool = pool;
    this.#onSwitch = onSwitch;
  }

  /** Says what the server said to the connection that serves this client first. */
  async welcome(): Promise<void> {
    const server = await this.#pool.take();
    for (const message of server.welcome) this.#socket.write(message);
    if (server.welcome.some((message) => typeOf(message) === "E")) {
      server.close();
      this.#socket.end();
    }
    this.#pool.give(server);
  }

  send(message: Buffer): void {
    if (typeOf(message) === "X") return void this.#socket.end();
    this.#waiting.push(message);
    if (this.#server) this.#forward();
    else if (!this.#isTaking) void this.#take();
  }

  /** A client that leaves inside a transaction takes its connection along. */
  leave(): void {
    const server = this.#server;
    this.#server = undefined;
    if (!server) return;
    server.close();
    this.#pool.give(server);
  }

  async #take(): Promise<void> {
    this.#isTaking = true;
    const server = await this.#pool.take();
    this.#isTaking = false;
    if (this.#socket.destroyed) return this.#pool.give(server);
    if (this.#last !== undefined && this.#last !== server) this.#onSwitch();
    this.#last = server;
    this.#server = server;
    server.onMessage = (message) => this.#answer(message);
    server.onEnd = () => this.#socket.destroy();
    this.#forward();
  }

  #forward(): void {
    for (const message of this.#waiting.splice(0)) {
      const isAnswered = "QSF".includes(typeOf(message));
      this.#unanswered += isAnswered ? 1 : 0;
      this.#unsynced = isAnswered ? 0 : this.#unsynced + 1;
      this.#server?.write(message);
    }
  }

  #answer(message: Buffer): void {
    const server = this.#server;
    if (server === undefined) return;
    if (typeOf(message) === "Z") {
      this.#unanswered -= 1;
      const isIdle = String.fromCharCode(message[5] ?? 0) === "I";
      if (isIdle && this.#unanswered === 0 && this.#unsynced === 0) {
        this.#server = undefined;
        this.#pool.give(server);
      }
    }
    this.#socket.write(message);
  }
}
