import { connect } from "node:net";
import type { Socket } from "node:net";
import { Frames, typeOf } from "./frames.js";

/** A connection to the server, which several clients use in turn. */
export class ServerConnection {
  /** What the server says first: its parameters, and that it is ready. Or that it refuses. */
  readonly welcome: Buffer[] = [];
  /** Takes the messages of the server, and is told of its end. */
  onMessage: (message: Buffer) => void = ignore;
  onEnd: () => void = ignore;
  isOpen = true;
  readonly #socket: Socket;

  private constructor(socket: Socket) {
    this.#socket = socket;
  }

  static async open(port: number, startup: Buffer): Promise<ServerConnection> {
    const socket = connect({ port, host: "127.0.0.1", noDelay: true });
    const connection = new ServerConnection(socket);
    const frames = new Frames();
    return new Promise((resolve) => {
      connection.onMessage = (message) => {
        connection.welcome.push(message);
        if (typeOf(message) === "Z" || typeOf(message) === "E") resolve(connection);
      };
      socket.on("data", (bytes) => {
        frames.add(bytes);
        for (let message = frames.next(); message !== undefined; message = frames.next())
          connection.onMessage(message);
      });
      socket.on("error", ignore);
      socket.on("close", () => {
        connection.isOpen = false;
        connection.onEnd();
        resolve(connection);
      });
      socket.write(startup);
    });
  }

  write(message: Buffer): void {
    this.#socket.write(message);
  }

  close(): void {
    this.isOpen = false;
    this.#socket.destroy();
  }
}

/** The connections of one role to one database, each handed out for a transaction. Resets nothing between two clients. */
export class ServerConnections {
  readonly #open: () => Promise<ServerConnection>;
  readonly #limit: number;
  readonly #all = new Set<ServerConnection>();
  #opening = 0;
  /** The one that was used longest ago is handed out first, so that a client seldom gets the same one twice. */
  #idle: ServerConnection[] = [];
  readonly #waiting: ((connection: ServerConnection) => void)[] = [];

  constructor(limit: number, open: () => Promise<ServerConnection>) {
    this.#limit = limit;
    this.#open = open;
  }

  async take(): Promise<ServerConnection> {
    this.#idle = this.#idle.filter(({ isOpen }) => isOpen);
    for (const connection of this.#all) if (!connection.isOpen) this.#all.delete(connection);
    if (this.#all.size + this.#opening < this.#limit) {
      this.#opening += 1;
      const opened = await this.#open();
      this.#opening -= 1;
      this.#all.add(opened);
      return opened;
    }
    return this.#idle.shift() ?? new Promise((resolve) => this.#waiting.push(resolve));
  }

  give(connection: ServerConnection): void {
    connection.onMessage = ignore;
    connection.onEnd = ignore;
    if (connection.isOpen) {
      const next = this.#waiting.shift();
      if (next) next(connection);
      else this.#idle.push(connection);
      return;
    }
    const next = this.#waiting.shift();
    if (next) void this.#replace(next);
  }

  async #replace(next: (connection: ServerConnection) => void): Promise<void> {
    next(await this.take());
  }

  close(): void {
    for (const connection of this.#all) connection.close();
  }
}

function ignore(): void {}
