import { RecallError } from "../../recall-error.js";

export type Row = Readonly<Record<string, unknown>>;

/** The part of `pg` that recall uses. */
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

/** Four seconds in total, enough for a server to restart. */
const attempts = 6;
const firstDelay = 50;
const maxDelay = 2_000;

/** Codes of a lost connection, a restarting server, or a conflict between two transactions. */
const passing = /^(?:08|57P0|40001|40P01|53300|ECONN|EPIPE|ETIMEDOUT)/u;
const passingMessage = /Connection terminated|connection error|timeout exceeded when trying to connect/iu;

/** Returns the result of `work`. Repeats `work` after a transient error, so it must be safe to repeat. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await work();
    } catch (error) {
      if (!isPassing(error)) throw error;
      if (attempt === attempts) throw busy(error);
      const delay = Math.min(maxDelay, firstDelay * 3 ** (attempt - 1));
      await new Promise((resolve) => setTimeout(resolve, delay));
    }
  }
}

/**
 * Runs `work` in one transaction and returns its result. No commit waits for the disk, so a crash of the server may undo the
 * newest transactions as a whole; the archive fills them in again.
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
    // A connection on which a query failed may be in any state: discard it.
    client.release(failure);
  }
}

/** Returns the code of an error of Postgres or of the connection; "" when there is none. Pure. */
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
    `Postgres did not answer in ${attempts} attempts. Check the server. (${reason})`,
    { cause },
  );
}
