// What encryption at rest costs: the same saver with and without it, in turns. Prints JSON; npm run bench -- encryption shows it.
// node … encryption.ts [--quick]
import { randomBytes } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VfsSaver, type VfsSaverOptions } from "../src/index.js";
import { growth } from "./measure-growth.js";
import { resume, saverShare } from "./measure-saver.js";
import { onFile, type OpenSubject } from "./subjects.js";
import type { TextKind } from "./texts.js";

const isQuick = process.argv.includes("--quick");
const [steps, known, resumed, archived] = isQuick ? [100, 200, 500, 50] : [800, 5_000, 20_000, 1_000];
const rounds = isQuick ? 1 : 5;
const secret = randomBytes(32);

/** The options of each form. */
const forms: Readonly<Record<string, VfsSaverOptions>> = {
  plain: {},
  encrypted: { encryption: { keyId: (threadId) => `key-of-${threadId.length}`, key: () => secret } },
};

type Measure = (options: VfsSaverOptions) => Promise<number>;

const opened =
  (options: VfsSaverOptions): OpenSubject =>
  async () =>
    onFile((path) => VfsSaver.fromPath(path, options));

const factor =
  (kind: TextKind): Measure =>
  async (options) =>
    (await growth(opened(options), { steps, kind, delta: false })).factor;

const measures: Readonly<Record<string, Measure>> = {
  randomFactor: factor("random"),
  textFactor: factor("text"),
  putMs: async (options) => saverShare(opened(options), known, isQuick ? 20 : 200),
  resumeMs: async (options) =>
    inDirectory(async (path) => resume(path, { count: resumed, kind: "text", options })),
  archiveMs: async (options) => inDirectory(async (path) => archiveMs(path, options)),
};

async function inDirectory(measure: (path: string) => Promise<number>): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-encryption-"));
  try {
    return await measure(join(directory, "bench.db"));
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Returns the time of one file of 2 KB in an archive, in ms, when a compaction writes many, and one read of all. */
async function archiveMs(path: string, options: VfsSaverOptions): Promise<number> {
  const saver = VfsSaver.fromPath(path, options);
  const files = Array.from({ length: archived }, (_, at) => ({
    path: `/context/messages/${at}.txt`,
    content: randomBytes(1_024).toString("hex"),
  }));
  const start = performance.now();
  const archive = saver.files.archive("t");
  await archive.appendAll(files);
  await archive.readAll(files.map(({ path }) => path));
  const ms = (performance.now() - start) / archived;
  await saver.close();
  return ms;
}

const measured: Record<string, Record<string, number>> = {};
for (const [name, measure] of Object.entries(measures)) {
  process.stderr.write(`${name}\n`);
  const values: Record<string, number[]> = {};
  // Times differ from round to round, sizes do not.
  for (let round = 0; round < (name.endsWith("Factor") ? 1 : rounds); round++)
    for (const [form, options] of Object.entries(forms)) (values[form] ??= []).push(await measure(options));
  measured[name] = Object.fromEntries(
    Object.entries(values).map(([form, all]) => [form, all.sort((a, b) => a - b)[all.length >> 1] ?? 0]),
  );
}
process.stdout.write(`${JSON.stringify({ steps, known, resumed, archived, measured })}\n`);
