import { randomUUID } from "node:crypto";
import { FileError } from "@palimpsest/vfs";
import type { VfsSaver } from "../saver/vfs-saver.js";

export interface HealthOptions {
  /** Milliseconds that one check may take. @default 5,000 */
  readonly timeoutMs?: number;
  /** Reads only, for a replica or a saver that is opened read-only. @default false */
  readonly readOnly?: boolean;
}

/** One question to the storage. */
export interface HealthCheck {
  /** `read` a checkpoint, `write` a file and read it back, `delete` it. */
  readonly name: "read" | "write" | "delete";
  /** Milliseconds. */
  readonly ms: number;
  /** Why it failed. Holds no content of a thread. */
  readonly error?: Error;
}

export interface Health {
  readonly isHealthy: boolean;
  readonly checks: readonly HealthCheck[];
}

/**
 * Asks a storage what an agent asks of it: to read a checkpoint, to write a file and read it back, to delete it. Touches no thread, and
 * never rejects. A check after one that failed is left out. For the health endpoint of a server; `verify` looks for damage.
 */
export async function checkHealth(
  saver: VfsSaver,
  { timeoutMs = 5_000, readOnly = false }: HealthOptions = {},
): Promise<Health> {
  const { driver } = saver.files;
  const probe = randomUUID();
  const path = `/health/${probe}`;
  const steps: [HealthCheck["name"], () => Promise<unknown>][] = [
    ["read", async () => saver.getTuple({ configurable: { thread_id: `health-${probe}` } })],
    ["write", async () => writeAndRead(driver, path)],
    ["delete", async () => driver.delete(path)],
  ];
  const checks: HealthCheck[] = [];
  for (const [name, ask] of readOnly ? steps.slice(0, 1) : steps) {
    const start = performance.now();
    const error = await within(timeoutMs, ask);
    checks.push({ name, ms: performance.now() - start, ...(error === undefined ? {} : { error }) });
    if (error !== undefined) break;
  }
  return { isHealthy: checks.every(({ error }) => error === undefined), checks };
}

async function writeAndRead(driver: VfsSaver["files"]["driver"], path: string): Promise<void> {
  const bytes = Buffer.from(path);
  await driver.write(path, bytes);
  const read = await driver.read(path);
  if (read === undefined || !bytes.equals(read))
    throw new FileError("corrupt", `${path} does not hold what was written.`);
}

/** Returns the error of a call, or one that says that it takes too long; undefined for a call that works. */
async function within(milliseconds: number, call: () => Promise<unknown>): Promise<Error | undefined> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<Error>((resolve) => {
    timer = setTimeout(() => resolve(new Error(`no answer within ${milliseconds} ms`)), milliseconds);
  });
  const answer = call().then(
    () => undefined,
    (error: unknown) => (error instanceof Error ? error : new Error(String(error))),
  );
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}
