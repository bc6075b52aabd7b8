import { RecallError } from "../../recall-error.js";

export type Row = Readonly<Record<string, unknown>>;

/** What we need of `pg`. */
export interface Client {
  query(text: string, values?: unknown[]): Promise<{ rows: Row[]; rowCount: number | null }>;
}

export interface PooledClient extends Client {
  release(error?: Error | boolean): void;
}

export interface Pool extends Client {
  connect(): Promise<PooledClient>;
  end(): Promise<void>;
}

/** Four seconds in all: a server that is restarted is back by then. */
const attempts = 6;
const firstDelay = 50;
const longestDelay = 2_000;

/** The connection was lost, the server is restarting, or two transactions stood in each other's way. */
const passing = /^(?:08|57P0|40001|40P01|53300|ECONN|EPIPE|ETIMEDOUT)/u;
const passingMessage = /Connection terminated|connection error|timeout exceeded when trying to connect/iu;

/** Returns what `work` gives. Does it again when the connection is lost, so `work` must be safe to repeat. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (attempt === attempts) throw busy(error);
      const delay = Math.min(longestDelay, firstDelay * 3 ** (attempt - 1));
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}

/**
 * Returns what `work` does in one transaction. A crash of the server may undo the newest ones, whole: the archive fills
 * them in again, and no write waits for the disk.
 */
export async function transaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query("BEGIN; SET LOCAL synchronous_commit = off");
    const result = await work(client);
    await client.query("COMMIT");
    return result;
  } catch (error) {
    failure = error instanceof Error ? error : new Error(String(error));
    await client.query("ROLLBACK").catch(() => undefined);
    throw error;
  } finally {
    // A connection on which something failed may be in any state: it is not used again.
    client.release(failure);
  }
}

/** Returns the code of an error of Postgres or of the connection; "" without any. Pure. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}

function isPassing(error: unknown): boolean {
  return error instanceof Error && (passing.test(codeOf(error)) || passingMessage.test(error.message));
}

function busy(cause: unknown): RecallError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new RecallError(
    "busy",
    `Postgres did not answer, also after ${attempts} attempts. Check the server. (${reason})`,
    { cause },
  );
}
