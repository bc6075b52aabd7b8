// Packs the published packages into `packs/`, and installs them into a project: `npm run pack -- ../my-agent`.
import { hash } from "node:crypto";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { spawnSync } from "node:child_process";
import { basename, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { root, run, runMain } from "../run.mjs";

const lockfiles = {
  "pnpm-lock.yaml": "pnpm",
  "yarn.lock": "yarn",
  "bun.lock": "bun",
  "package-lock.json": "npm",
};

/** Returns the manifests of the packages that are published. */
function publishedPackages() {
  return readdirSync(join(root, "packages"))
    .map((name) => join(root, "packages", name))
    .filter((folder) => existsSync(join(folder, "package.json")))
    .map((folder) => ({ folder, ...JSON.parse(readFileSync(join(folder, "package.json"), "utf8")) }))
    .filter((manifest) => manifest.private !== true);
}

/**
 * Builds and packs every published package into `packs`. Returns name -> path of the tarball. Its name has a digest of its
 * content: npm keeps what it has installed when a tarball changes and its path does not.
 */
export function pack(packs) {
  rmSync(packs, { recursive: true, force: true });
  mkdirSync(packs, { recursive: true });
  run(process.execPath, [join(root, "scripts/setup.mjs")]);
  const pnpm = join(root, "node_modules/pnpm/bin/pnpm.cjs");
  return Object.fromEntries(
    publishedPackages().map(({ folder, name, version }) => {
      run(process.execPath, [pnpm, "-C", folder, "pack", "--pack-destination", packs], { stdout: "ignore" });
      const packed = join(packs, `${name.replace("@", "").replace("/", "-")}-${version}`);
      const digest = hash("sha256", readFileSync(`${packed}.tgz`)).slice(0, 8);
      renameSync(`${packed}.tgz`, `${packed}-${digest}.tgz`);
      return [name, `${packed}-${digest}.tgz`];
    }),
  );
}

/**
 * Copies the tarballs to the folder `packs` of the project, in place of earlier ones, adds them to its dependencies and installs
 * them: the project stays whole when this repository changes. The packages depend on each other by version;
 * `resolutions` tells pnpm, Yarn and bun that the tarballs are these versions, npm sees it by itself. `manager` is the
 * command of the package manager; by default the one whose lockfile the project has.
 */
export function install(project, tarballs, manager = [managerOf(project)]) {
  const path = manifestOf(project);
  const manifest = JSON.parse(readFileSync(path, "utf8"));
  const files = copyInto(join(project, "packs"), tarballs);
  manifest.dependencies = { ...manifest.dependencies, ...files };
  if (manager[0] !== "npm") manifest.resolutions = { ...manifest.resolutions, ...files };
  writeFileSync(path, `${JSON.stringify(manifest, undefined, 2)}\n`);
  const [command, ...args] = manager;
  const { status } = spawnSync(command, [...args, "install"], { cwd: project, stdio: ["ignore", 2, 2] });
  if (status !== 0)
    throw new Error(`"${manager.join(" ")} install" failed in ${project}; its output says why`);
}

/** Returns name -> path of the copy, as a manifest writes it. */
function copyInto(packs, tarballs) {
  mkdirSync(packs, { recursive: true });
  for (const name of readdirSync(packs).filter((name) => /^palimpsest-.*\.tgz$/.test(name)))
    rmSync(join(packs, name));
  const copies = Object.entries(tarballs).map(([name, tarball]) => {
    copyFileSync(tarball, join(packs, basename(tarball)));
    return [name, `file:packs/${basename(tarball)}`];
  });
  return Object.fromEntries(copies);
}

function manifestOf(project) {
  const path = join(project, "package.json");
  if (existsSync(path)) return path;
  throw new Error(
    `${project} has no package.json: create the project first, for instance with "npm init -y", or use "npm run create -- ${project}"`,
  );
}

function managerOf(project) {
  return Object.entries(lockfiles).find(([name]) => existsSync(join(project, name)))?.[1] ?? "npm";
}

function main() {
  const project = process.argv[2];
  if (project !== undefined) manifestOf(resolve(project));
  const tarballs = pack(join(root, "packs"));
  for (const tarball of Object.values(tarballs)) process.stdout.write(`packs/${basename(tarball)}\n`);
  if (project === undefined) return;
  install(resolve(project), tarballs);
  process.stdout.write(`Installed into ${resolve(project)}\n`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) runMain(main);
