import { execFileSync, spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** A server for one run. */
export interface LocalPostgres {
  readonly url: string;
  readonly stop: () => Promise<void>;
}

const installations = ["/usr/lib/postgresql", "/opt/homebrew/opt", "/usr/local/opt"];

/** Returns a throw-away server, without a port of its own, or undefined where Postgres is not installed. */
export async function localPostgres(): Promise<LocalPostgres | undefined> {
  const binaries = findBinaries();
  const user = serverUser();
  if (binaries === undefined || user === undefined) return undefined;
  const directory = mkdtempSync(join(tmpdir(), "example-pg-"));
  if (user.uid !== undefined) chownSync(directory, user.uid, user.gid ?? user.uid);
  const data = join(directory, "data");
  const options = { ...user, cwd: directory };
  const initdb = ["-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "-N"];
  execFileSync(join(binaries, "initdb"), initdb, { ...options, stdio: "ignore" });
  const settings = ["-D", data, "-k", directory, "-c", "listen_addresses=", "-c", "fsync=off"];
  const server = spawn(join(binaries, "postgres"), settings, { ...options, stdio: "ignore" });
  const ended = new Promise((resolve) => {
    server.on("exit", resolve);
  });
  for (let left = 300; spawnSync(join(binaries, "pg_isready"), ["-h", directory]).status !== 0; left--) {
    if (left === 0) throw new Error("Postgres did not start within half a minute");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  const stop = async (): Promise<void> => {
    server.kill("SIGINT");
    await ended;
    rmSync(directory, { recursive: true, force: true });
  };
  return { url: `postgresql://postgres@/postgres?host=${encodeURIComponent(directory)}`, stop };
}

/** Postgres refuses to run as root: then it runs as its own user, if there is one. */
function serverUser(): { readonly uid?: number; readonly gid?: number } | undefined {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return uid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid?.stdout) } : undefined;
}

function findBinaries(): string | undefined {
  const found = installations
    .filter((place) => existsSync(place))
    .flatMap((place) => readdirSync(place).map((name) => join(place, name, "bin")))
    .filter((binaries) => existsSync(join(binaries, "initdb")));
  return found.toSorted((a, b) => a.localeCompare(b, "en", { numeric: true })).at(-1);
}
