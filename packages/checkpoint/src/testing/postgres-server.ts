import { spawn, spawnSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface PostgresServer {
  readonly url: string;
  readonly stop: () => void;
}

/** A server that the tests started. */
export interface OwnPostgres extends PostgresServer {
  /** Ends all of its processes at once, as a crash does. The server restarts soon after. */
  readonly crash: () => void;
}

const installations = "/usr/lib/postgresql";

/** Returns the server at PALIMPSEST_POSTGRES_URL, or starts one. Returns the reason when it can do neither. */
export async function startPostgres(): Promise<PostgresServer | { readonly missing: string }> {
  const given = process.env["PALIMPSEST_POSTGRES_URL"];
  return given ? { url: given, stop: () => undefined } : startOwnPostgres();
}

/** Returns true when this machine can start a server. */
export function canStartPostgres(): boolean {
  return newestInstallation() !== undefined && serverUser() !== undefined;
}

/** Starts a server. Returns the reason when it cannot. */
export async function startOwnPostgres(): Promise<OwnPostgres | { readonly missing: string }> {
  const binaries = newestInstallation();
  if (!binaries)
    return { missing: `no Postgres in ${installations}, and PALIMPSEST_POSTGRES_URL is not set` };
  const user = serverUser();
  if (!user) return { missing: "Postgres does not run as root, and there is no user postgres" };
  return start(binaries, user);
}

/** Runs the server, and restarts it, until the pipe from this process closes. Then stops it and deletes its files. */
const supervised = `directory=$1; shift; exec 3<&0
(while [ ! -e "$directory/ended" ]; do "$@" >>"$directory/log" 2>&1; sleep 0.1; done) & loop=$!
cat <&3 >/dev/null; touch "$directory/ended"
while kill -0 $loop 2>/dev/null; do kill -QUIT $(head -n 1 "$directory/data/postmaster.pid"); sleep 0.1; done
rm -rf "$directory"`;

async function start(binaries: string, user: ServerUser): Promise<OwnPostgres> {
  const directory = mkdtempSync(join(tmpdir(), "palimpsest-pg-"));
  if (user.uid !== undefined && user.gid !== undefined) chownSync(directory, user.uid, user.gid);
  const data = join(directory, "data");
  const port = await freePort();
  run(
    [join(binaries, "initdb"), "-D", data, "-U", "postgres", "-A", "trust", "--locale=C", "-E", "UTF8", "-N"],
    user,
  );
  const settings = ["listen_addresses=127.0.0.1", "fsync=off", "max_connections=200"].flatMap((each) => [
    "-c",
    each,
  ]);
  const server = [join(binaries, "postgres"), "-D", data, "-p", String(port), "-k", directory, ...settings];
  const child = spawn("sh", ["-c", supervised, "sh", directory, ...server], {
    ...user,
    cwd: "/",
    detached: true,
    stdio: ["pipe", "ignore", "ignore"],
  });
  child.unref();
  await untilReady(join(binaries, "pg_isready"), port);
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    stop: () => child.stdin.end(),
    crash: () =>
      process.kill(Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]), "SIGQUIT"),
  };
}

async function untilReady(isReady: string, port: number): Promise<void> {
  for (const end = Date.now() + 60_000; Date.now() < end;) {
    if (spawnSync(isReady, ["-h", "127.0.0.1", "-p", String(port)]).status === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  throw new Error("Postgres did not start within a minute");
}

interface ServerUser {
  readonly uid?: number;
  readonly gid?: number;
}

function serverUser(): ServerUser | undefined {
  if (process.getuid?.() !== 0) return {};
  const [uid, gid] = ["-u", "-g"].map((flag) => spawnSync("id", [flag, "postgres"], { encoding: "utf8" }));
  return uid?.status === 0 ? { uid: Number(uid.stdout), gid: Number(gid?.stdout) } : undefined;
}

function newestInstallation(): string | undefined {
  if (!existsSync(installations)) return undefined;
  const newest = readdirSync(installations).sort((a, b) => Number(b) - Number(a))[0];
  const binaries = newest && join(installations, newest, "bin");
  return binaries && existsSync(join(binaries, "initdb")) ? binaries : undefined;
}

function run([command = "", ...args]: readonly string[], user: ServerUser): void {
  const { status, stderr, error } = spawnSync(command, args, {
    ...user,
    cwd: "/",
    encoding: "utf8",
    stdio: ["ignore", "ignore", "pipe"],
    timeout: 60_000,
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`${command} ended with ${status}: ${stderr}`);
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address();
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return typeof address === "object" && address ? address.port : 0;
}
