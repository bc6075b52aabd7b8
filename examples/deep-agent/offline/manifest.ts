import { type Known } from "./ledger.js";

/**
 * Returns licence, version and entry point as far as the text of a package.json tells. Pure.
 * The text may stop anywhere: members that are whole are read, and `complete` says whether the end was seen.
 */
export function readManifest(text: string): { known: Known; complete: boolean } {
  const { json, complete } = wholeMembers(text.slice(Math.max(0, text.indexOf("{"))));
  const manifest = parseObject(json);
  const known: Record<string, string> = {};
  const licence = licenceIn(manifest) ?? (complete ? "none" : undefined);
  if (licence !== undefined) known["licence"] = licence;
  if (typeof manifest["version"] === "string") known["version"] = manifest["version"];
  const entry = entryIn(manifest, complete);
  if (entry !== undefined) known["entry"] = entry;
  return { known, complete };
}

/** Returns the entry point that the fields of a manifest name. Pure. */
export function entryOf({ exports, module, main }: Record<string, unknown>): string {
  const target = firstString(exports);
  if (target !== undefined) return target;
  if (typeof module === "string") return module;
  return typeof main === "string" ? main : "index.js";
}

/** Returns the entry point that the value after a key tells, as far as the text holds it whole. Pure. */
export function readEntryValue(text: string): string | undefined {
  const { json, complete } = wholeMembers(text.slice(Math.max(0, text.indexOf("{"))));
  return complete ? firstString(parseObject(json)) : undefined;
}

/** The longest prefix that is valid JSON once it is closed: it ends at a comma or brace of the outermost object. */
function wholeMembers(text: string): { json: string; complete: boolean } {
  let depth = 0;
  let comma = -1;
  for (let i = 0; i < text.length; i++) {
    const character = text[i];
    if (character === '"') i = endOfString(text, i);
    else if (character === "{" || character === "[") depth += 1;
    else if (character === "}" || character === "]") {
      depth -= 1;
      if (depth === 0) return { json: text.slice(0, i + 1), complete: true };
    } else if (character === "," && depth === 1) comma = i;
  }
  return { json: comma < 0 ? "{}" : `${text.slice(0, comma)}}`, complete: false };
}

function endOfString(text: string, start: number): number {
  let i = start + 1;
  while (i < text.length && text[i] !== '"') i += text[i] === "\\" ? 2 : 1;
  return i;
}

function parseObject(json: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(json);
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
}

function licenceIn(manifest: Record<string, unknown>): string | undefined {
  const { license, licenses } = manifest;
  if (typeof license === "string") return license;
  const old: unknown = Array.isArray(licenses) ? licenses[0] : license;
  return isObject(old) && typeof old["type"] === "string" ? old["type"] : undefined;
}

/** The entry point, or undefined while a member that could still come would decide it. */
function entryIn(manifest: Record<string, unknown>, complete: boolean): string | undefined {
  const { exports, module, main } = manifest;
  const hasPaths = isObject(exports) && Object.keys(exports).some((key) => key.startsWith("."));
  const value = hasPaths ? exports["."] : exports;
  if (firstString(value) === undefined && !complete) return undefined;
  return entryOf({ exports: value, module, main });
}

function firstString(target: unknown): string | undefined {
  if (typeof target === "string") return target;
  if (Array.isArray(target)) return firstString(target[0]);
  if (!isObject(target)) return undefined;
  for (const condition of ["import", "module", "default", "node", "require"])
    if (condition in target) return firstString(target[condition]);
  return undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
