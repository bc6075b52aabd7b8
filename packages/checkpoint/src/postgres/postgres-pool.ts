import { CheckpointError } from "../checkpoint-error.js";

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

const attempts = 4;
const firstDelay = 50;

/** The connection was lost, the server is restarting, or two transactions stood in each other's way. */
const passing = /^(?:08|57P0|40001|40P01|53300|ECONN|EPIPE|ETIMEDOUT|23503)/u;

/** Returns what `work` gives. Does it again when the connection is lost, so `work` must be safe to repeat. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (attempt === attempts) throw explain(error);
      await new Promise((resolve) => setTimeout(resolve, firstDelay * 4 ** (attempt - 1)));
    }
  }
}

/** Returns what `work` does in one transaction. */
export async function transaction<T>(pool: Pool, work: (client: Client) => Promise<T>): Promise<T> {
  const client = await pool.connect();
  let failure: Error | undefined;
  try {
    await client.query("BEGIN");
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
  const code = "code" in error ? String(error.code) : "";
  return passing.test(code) || /Connection terminated|connection error/iu.test(error.message);
}

function explain(cause: unknown): CheckpointError {
  const reason = cause instanceof Error ? cause.message : String(cause);
  return new CheckpointError(
    "busy",
    `Postgres did not answer ${attempts} times. Check the server. (${reason})`,
    { cause },
  );
}
