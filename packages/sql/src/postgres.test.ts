import { Pool } from "pg";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Postgres } from "./postgres.js";
import type { PostgresResult } from "./postgres.js";
import type { SqlFailure } from "./sql-failure.js";

interface Statement {
  readonly name?: string;
  readonly values: unknown[];
}
type Run = (statement: Statement | string) => Promise<PostgresResult>;

const query = vi.fn<Run>();
const connect = vi.fn<() => Promise<unknown>>();

const failing = (code: string): Error => Object.assign(new Error("why"), { code });
const open = async (
  url = "postgres://nobody@127.0.0.1:1/none",
  connectionTimeout = 1000,
  schema?: string,
): Promise<Postgres> =>
  Postgres.open(url, {
    connections: 2,
    schema,
    connectionTimeout,
    isDurable: true,
    createError: (failure: SqlFailure, message: string) => Object.assign(new Error(message), { failure }),
  });

/** Replaces the connections of `pg`: no statement reaches a server. */
function withoutServer(): void {
  query.mockReset();
  connect.mockReset();
  vi.spyOn(Pool.prototype, "query").mockImplementation(query);
  vi.spyOn(Pool.prototype, "connect").mockImplementation(connect as never);
}

afterEach(() => {
  vi.restoreAllMocks();
  vi.useRealTimers();
});

async function caught(work: Promise<unknown>): Promise<unknown> {
  const [failure] = await Promise.all([work.catch((error: unknown) => error), vi.runAllTimersAsync()]);
  return failure;
}

describe("a failing statement", () => {
  beforeEach(withoutServer);

  it.each([
    ["57P01", "busy", 6],
    ["ECONNREFUSED", "busy", 6],
    ["40P01", "busy", 6],
    ["53100", "disk-full", 1],
    ["57014", "busy", 1],
    ["55P03", "busy", 1],
  ])("with code %s is %s, after %d attempts", async (code, failure, attempts) => {
    vi.useFakeTimers();
    query.mockRejectedValue(failing(code));
    const postgres = await open();
    expect(await caught(postgres.query("SELECT 1"))).toMatchObject({
      failure,
      message: expect.stringContaining("why"),
    });
    expect(query).toHaveBeenCalledTimes(attempts);
  });

  it("of another kind reaches the caller unchanged, after one attempt", async () => {
    const error = failing("42601");
    query.mockRejectedValue(error);
    await expect((await open()).query("SELEC")).rejects.toBe(error);
    expect(query).toHaveBeenCalledTimes(1);
  });

  it("is repeated until it succeeds", async () => {
    vi.useFakeTimers();
    query.mockRejectedValueOnce(failing("57P03")).mockResolvedValue({ rows: [{ x: 1 }], rowCount: 1 });
    expect(await caught((await open()).query("SELECT 1"))).toEqual({ rows: [{ x: 1 }], rowCount: 1 });
  });
});

describe("a prepared statement", () => {
  beforeEach(withoutServer);

  it.each(["26000", "42P05"])("is run unprepared for good after %s of a pooler", async (code) => {
    query.mockRejectedValueOnce(failing(code)).mockResolvedValue({ rows: [], rowCount: 0 });
    const postgres = await open();
    for (let run = 0; run < 2; run++) await postgres.prepared("SELECT $1", [run]);
    expect(
      query.mock.calls.map(([statement]) => {
        const { name, values } = statement as Statement;
        return [name, values];
      }),
    ).toEqual([
      [expect.stringMatching(/^palimpsest_[0-9a-f]{32}$/u), [0]],
      [undefined, [0]],
      [undefined, [1]],
    ]);
  });
});

describe("the name of a prepared statement", () => {
  beforeEach(withoutServer);

  it("is another one for another text, and for another schema", async () => {
    query.mockResolvedValue({ rows: [], rowCount: 0 });
    const names = [];
    for (const schema of [undefined, "one", "two", undefined]) {
      const postgres = await open(undefined, 1000, schema);
      await postgres.prepared("SELECT FROM palimpsest_threads", []);
      await postgres.prepared("SELECT FROM palimpsest_entries", []);
    }
    for (const [statement] of query.mock.calls) names.push((statement as Statement).name);
    expect(new Set(names).size).toBe(6);
    expect(names.slice(0, 2)).toEqual(names.slice(6));
  });
});

describe("a batch", () => {
  beforeEach(withoutServer);

  it("returns the results of its statements alone, and is repeated as a whole", async () => {
    vi.useFakeTimers();
    const results = ["BEGIN", "one", "two", "COMMIT"].map((of) => ({ rows: [{ of }], rowCount: 1 }));
    query.mockRejectedValueOnce(failing("40P01")).mockResolvedValue(results as never);
    const postgres = await open();
    expect(await caught(postgres.batch(["SELECT 1", "SELECT 2"]))).toEqual(results.slice(1, 3));
    const [first, second] = query.mock.calls;
    expect(second).toEqual(first);
    expect(first?.[0]).toMatchObject({
      text: expect.stringMatching(/^BEGIN [^;]+;\nSELECT 1;\nSELECT 2;\nCOMMIT$/u),
    });
  });
});

describe("a transaction", () => {
  beforeEach(withoutServer);

  it("that fails is rolled back, and its connection is not used again", async () => {
    const connection = {
      query: vi.fn<Run>(async () => ({ rows: [], rowCount: 0 })),
      release: vi.fn<(error?: Error) => void>(),
      on: vi.fn<() => void>(),
      off: vi.fn<() => void>(),
    };
    connect.mockResolvedValue(connection);
    const error = new Error("stop");
    await expect((await open()).transaction(async () => Promise.reject(error))).rejects.toBe(error);
    expect(connection.query).toHaveBeenLastCalledWith("ROLLBACK");
    expect(connection.release).toHaveBeenCalledWith(error);
  });
});

const server = process.env["PALIMPSEST_POSTGRES_URL"];

describe.each(server ? [server] : [])("on a Postgres server", (url) => {
  it("a statement is prepared once on a connection", async () => {
    const postgres = await open(url, 10_000);
    for (let run = 0; run < 3; run++) await postgres.prepared("SELECT $1::int AS run", [run]);
    const count =
      "SELECT count(*)::int AS count FROM pg_prepared_statements WHERE statement LIKE 'SELECT $1%'";
    expect((await postgres.query(count)).rows).toEqual([{ count: 1 }]);
    await postgres.close();
  });

  it("a transaction whose connection the server ends is repeated on another", async () => {
    const postgres = await open(url, 10_000);
    let attempts = 0;
    const { rows } = await postgres.transaction(async (client) => {
      attempts += 1;
      if (attempts === 1) await client.query("SELECT pg_terminate_backend(pg_backend_pid())");
      return client.query("SELECT 1 AS x");
    });
    expect([attempts, rows]).toEqual([2, [{ x: 1 }]]);
    await postgres.close();
  });
});
