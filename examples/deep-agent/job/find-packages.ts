import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** An installed package: its name, its version and the folder that really holds its files. */
export interface PackageFolder {
  readonly name: string;
  readonly version: string;
  readonly folder: string;
}

/**
 * Returns every package below `root`, sorted by name, one folder a name: the highest version wins.
 * Understands a plain `node_modules`, one laid out by pnpm (`.pnpm/<id>/node_modules/<name>`), and any folder of packages.
 * Links are skipped, so that no package is seen twice.
 */
export function findPackages(root: string): PackageFolder[] {
  const store = join(root, ".pnpm");
  const homes = existsSync(store) ? folders(store).map((id) => join(store, id, "node_modules")) : [root];
  const found = new Map<string, PackageFolder>();
  for (const each of homes.flatMap(packagesIn)) {
    const known = found.get(each.name);
    if (known === undefined || compareVersions(each.version, known.version) > 0) found.set(each.name, each);
  }
  return [...found.values()].toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function packagesIn(home: string): PackageFolder[] {
  const candidates = folders(home).flatMap((entry) =>
    entry.startsWith("@")
      ? folders(join(home, entry)).map((inner) => join(home, entry, inner))
      : [join(home, entry)],
  );
  return candidates.flatMap((folder) => {
    const identity = readIdentity(join(folder, "package.json"));
    return identity === undefined ? [] : [{ ...identity, folder }];
  });
}

function folders(path: string): string[] {
  if (!existsSync(path)) return [];
  const entries = readdirSync(path, { withFileTypes: true });
  return entries.filter((entry) => entry.isDirectory()).map((entry) => entry.name);
}

/** Name and version of a package, or undefined when the file is absent, broken or without them. */
function readIdentity(file: string): { name: string; version: string } | undefined {
  if (!existsSync(file)) return undefined;
  try {
    const json: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (typeof json !== "object" || json === null) return undefined;
    const { name, version } = json as Record<string, unknown>;
    return typeof name === "string" && typeof version === "string" ? { name, version } : undefined;
  } catch {
    return undefined;
  }
}

function compareVersions(a: string, b: string): number {
  const left = a.split(/[.+-]/);
  const right = b.split(/[.+-]/);
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const difference = Number.parseInt(left[i] ?? "0", 10) - Number.parseInt(right[i] ?? "0", 10);
    if (difference !== 0 && !Number.isNaN(difference)) return difference;
  }
  return a < b ? -1 : a > b ? 1 : 0;
}
