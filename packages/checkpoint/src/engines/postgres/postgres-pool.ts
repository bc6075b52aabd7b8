import { CheckpointError } from "../../checkpoint-error.js";

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
  on(event: "error", listener: (error: Error) => void): unknown;
}

/** Four seconds in all: a server that is restarted is back by then. */
const attempts = 6;
const firstDelay = 50;
const longestDelay = 2000;

/** The connection was lost, the server is restarting, or two transactions stood in each other's way. */
const passing = /^(?:08|57P0|40001|40P01|53300|ECONN|EPIPE|ETIMEDOUT|23503)/u;

const diskFull = "53100";

/** Returns what `work` gives. Does it again when the connection is lost, so `work` must be safe to repeat. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error) || attempt === attempts) throw explainPostgres(error);
      const delay = Math.min(longestDelay, firstDelay * 3 ** (attempt - 1));
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}

/** Returns what `work` does in one transaction. */
export async function transaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query("BEGIN ISOLATION LEVEL READ COMMITTED");
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

function isPassing(error: unknown): boolean {
  if (!(error instanceof Error)) return false;
  return passing.test(codeOf(error)) || /Connection terminated|connection error/iu.test(error.message);
}

/** Returns an error that says what to do about a failure of Postgres, or the error itself when it is of another kind. */
export function explainPostgres(cause: unknown): unknown {
  const reason = cause instanceof Error ? cause.message : String(cause);
  if (isPassing(cause)) {
    const message = `Postgres did not answer, also after ${attempts} attempts. Check the server. (${reason})`;
    return new CheckpointError("busy", message, { cause });
  }
  if (codeOf(cause) !== diskFull) return cause;
  const message = `The database could not grow: the disk is full. Nothing of this write was kept. Free space and try again. (${reason})`;
  return new CheckpointError("disk-full", message, { cause });
}

/** Returns the code of an error of Postgres or of the connection, "" for any other error. Pure. */
export function codeOf(error: unknown): string {
  return error instanceof Error && "code" in error ? String(error.code) : "";
}
