import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { type PackageFolder } from "../job/find-packages.js";

/** A file of a package: its path inside the package, with forward slashes, and its size in bytes. */
export interface SourceFile {
  readonly path: string;
  readonly bytes: number;
}

/** The sources of one package as one buffer, so that a search is one scan. */
interface SourceText {
  readonly bytes: Buffer;
  readonly starts: readonly { path: string; start: number }[];
}

const sourceName = /\.(?:js|cjs|mjs|ts|cts|mts)$/;

/** A folder of packages as the research tools see it. Files are read once and kept. */
export class CodeBase {
  readonly packages: readonly PackageFolder[];
  readonly #files = new Map<string, readonly SourceFile[]>();
  readonly #texts = new Map<string, SourceText>();

  constructor(packages: readonly PackageFolder[]) {
    this.packages = packages.toSorted((a, b) => (a.name < b.name ? -1 : 1));
  }

  find(name: string): PackageFolder | undefined {
    return this.packages.find((each) => each.name === name);
  }

  /** Every file of the package, sorted by path. Nested `node_modules` are other packages and left out. */
  files(each: PackageFolder): readonly SourceFile[] {
    const known = this.#files.get(each.name);
    if (known !== undefined) return known;
    const files = walk(each.folder, "").toSorted((a, b) => (a.path < b.path ? -1 : 1));
    this.#files.set(each.name, files);
    return files;
  }

  /** The whole text of a file, or undefined when the package has no such file. */
  read(each: PackageFolder, path: string): string | undefined {
    const known = this.files(each).some((file) => file.path === path);
    return known ? readFileSync(join(each.folder, path), "utf8") : undefined;
  }

  /** Every line of the package's sources that contains `text`, as `package/file:line: text`, in path order. */
  search(each: PackageFolder, text: string): string[] {
    const source = this.#sources(each);
    const needle = Buffer.from(text);
    const lines: string[] = [];
    let file = 0;
    let at = source.bytes.indexOf(needle);
    const counted = { offset: 0, line: 1 };
    while (at >= 0) {
      while ((source.starts[file + 1]?.start ?? Infinity) <= at) file += 1;
      const { path, start } = source.starts[file] ?? { path: "", start: 0 };
      if (counted.offset < start) Object.assign(counted, { offset: start, line: 1 });
      counted.line += newlines(source.bytes, counted.offset, at);
      const from = source.bytes.lastIndexOf(10, at) + 1;
      const end = source.bytes.indexOf(10, at);
      const to = end < 0 ? source.bytes.length : end;
      const line = source.bytes.toString("utf8", Math.max(from, start), to);
      lines.push(`${each.name}/${path}:${counted.line}: ${line}`);
      counted.offset = at;
      at = source.bytes.indexOf(needle, to);
    }
    return lines;
  }

  #sources(each: PackageFolder): SourceText {
    const known = this.#texts.get(each.name);
    if (known !== undefined) return known;
    const sources = this.files(each).filter((file) => sourceName.test(file.path));
    const bytes = Buffer.alloc(
      sources.reduce((sum, file) => sum + file.bytes + 1, 0),
      "\n",
    );
    const starts: { path: string; start: number }[] = [];
    let start = 0;
    for (const { path, bytes: size } of sources) {
      starts.push({ path, start });
      readFileSync(join(each.folder, path)).copy(bytes, start);
      start += size + 1;
    }
    const text = { bytes, starts };
    this.#texts.set(each.name, text);
    return text;
  }
}

function newlines(bytes: Buffer, from: number, to: number): number {
  let count = 0;
  for (let at = bytes.indexOf(10, from); at >= 0 && at < to; at = bytes.indexOf(10, at + 1)) count += 1;
  return count;
}

function walk(folder: string, below: string): SourceFile[] {
  return readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
    const path = below === "" ? entry.name : `${below}/${entry.name}`;
    if (entry.isDirectory()) return entry.name === "node_modules" ? [] : walk(folder, path);
    return entry.isFile() ? [{ path, bytes: statSync(join(folder, path)).size }] : [];
  });
}
