// The rules of the structure: each returns its violations as sentences. Pure.
import { posix } from "node:path";
import { exportsOf, importsOf, isTest } from "./sources.mjs";

const lists = "scripts/structure/lists.json";

/** Returns folder -> number of its source files, tests, their helpers and `index.ts` not counted. */
export function folderSizes(sources) {
  const sizes = new Map();
  for (const path of sources.keys()) {
    if (isTest(path) || /\/(index|internal|types)\.ts$/.test(path)) continue;
    const folder = posix.dirname(path);
    sizes.set(folder, (sizes.get(folder) ?? 0) + 1);
  }
  return sizes;
}

/** A folder shows few files; the exceptions only shrink. */
export function folderViolations({ sources, folders }) {
  const sizes = folderSizes(sources);
  const larger = [...sizes].flatMap(([folder, size]) => {
    const limit = Math.max(folders.limit, folders.exceptions[folder] ?? 0);
    return size > limit
      ? [`${folder} has ${size} source files, at most ${limit} are allowed: make folders of it by topic`]
      : [];
  });
  return [...larger, ...Object.entries(folders.exceptions).flatMap(staleException)];

  function staleException([folder, allowed]) {
    const size = sizes.get(folder) ?? 0;
    if (size === allowed && size > folders.limit) return [];
    if (size > allowed) return [];
    return [
      `${folder} has ${size} source files and an exception for ${allowed}: lower it in ${lists} (--accept)`,
    ];
  }
}

/** Inside a package imports go from a later layer to an earlier one; the exceptions only shrink. */
export function arrowViolations({ sources, layers }) {
  return Object.entries(layers).flatMap(([name, { order, exceptions = [] }]) => {
    const rank = new Map(order.flatMap((units, at) => [units].flat().map((unit) => [unit, at])));
    const used = new Set();
    const found = arrowsOf(name, sources).flatMap(({ from, to, path, target }) => {
      if (!rank.has(from)) return [`packages/${name}/src/${from} is in no layer: give it one in ${lists}`];
      if (!rank.has(to) || rank.get(to) < rank.get(from)) return [];
      if (exceptions.includes(`${from} -> ${to}`)) return used.add(`${from} -> ${to}`) && [];
      return [`${path} imports ${target}: ${from} may not import ${to} (layers of ${name} in ${lists})`];
    });
    const stale = exceptions.filter((arrow) => !used.has(arrow));
    return [
      ...new Set(found),
      ...stale.map(
        (arrow) => `No file of ${name} has the arrow ${arrow}: remove its exception from ${lists} (--accept)`,
      ),
    ];
  });
}

function arrowsOf(name, sources) {
  const src = `packages/${name}/src/`;
  return [...sources].flatMap(([path, text]) => {
    if (!path.startsWith(src) || isTest(path) || isDoor(path, src)) return [];
    const from = unitOf(path, src);
    return importsOf(path, text).flatMap((target) => {
      const to = unitOf(target, src);
      return to === from || isTest(target) ? [] : [{ from, to, path, target }];
    });
  });
}

/** The top folder of a file inside its package, or the file itself at the top. */
function unitOf(path, src) {
  return path.slice(src.length).split("/")[0];
}

function isDoor(path, src) {
  return /(^|\/)(index|internal|types)\.ts$/.test(path.slice(src.length));
}

/** The root of a package exports what its checked-in list names. */
export function exportViolations({ sources, exported }) {
  return Object.entries(exported).flatMap(([name, accepted]) => {
    const index = `packages/${name}/src/index.ts`;
    const names = exportsOf(index, sources);
    const how = `\`npm run check:structure -- --accept\` writes packages/${name}/exports.txt`;
    return [
      ...names
        .filter((one) => !accepted.includes(one))
        .map(
          (one) => `${index} exports ${one}, which is new: if users need it, ${how}; if not, use ./internal`,
        ),
      ...accepted
        .filter((one) => !names.includes(one))
        .map(
          (one) =>
            `${index} no longer exports ${one}: if that is meant, ${how} and the change needs a changeset`,
        ),
    ];
  });
}

/** Returns the names that the root of a package and its documented subpaths export. */
function documentedNames(name, { sources, subpaths }) {
  const doors = ["index.ts", ...(subpaths[name] ?? [])];
  return doors.flatMap((door) => exportsOf(`packages/${name}/src/${door}`, sources));
}

/** Two packages export one name for one thing only. */
export function sameNameViolations({ exported }) {
  const owners = new Map();
  return Object.entries(exported).flatMap(([name, names]) =>
    names.flatMap((one) => {
      const owner = owners.get(one);
      owners.set(one, name);
      return owner === undefined ? [] : [`${owner} and ${name} both export ${one}: rename one of them`];
    }),
  );
}

/** The README of a package names all that its root and its documented subpaths export. */
export function readmeViolations({ sources, readmes, subpaths }) {
  return Object.entries(readmes).flatMap(([name, text]) => {
    const missing = documentedNames(name, { sources, subpaths }).filter(
      (one) => !new RegExp(`\\b${one}\\b`).test(text),
    );
    return missing.map((one) => `packages/${name}/README.md does not name ${one}, which the package exports`);
  });
}

/** README or `docs/` of a package name every field of the options that it exports. */
export function optionViolations({ sources, readmes, docs, subpaths }) {
  return Object.entries(readmes).flatMap(([name, text]) => {
    const interfaces = new Set(documentedNames(name, { sources, subpaths }));
    const pages = `${text}\n${docs}`;
    return [...sources].flatMap(([path, code]) => {
      if (!path.startsWith(`packages/${name}/src/`) || isTest(path)) return [];
      return [...code.matchAll(/^export interface (\w+Options)\b[^{]*\{\n([\s\S]*?)^\}/gm)].flatMap(
        ([, options, body]) =>
          !interfaces.has(options)
            ? []
            : [...body.matchAll(/^ {2}readonly (\w+)\??:/gm)]
                .filter(([, field]) => !new RegExp(`\`[^\`\\n]*\\b${field}\\b[^\`\\n]*\``).test(pages))
                .map(
                  ([, field]) =>
                    `${path}: no page names the option ${field} of ${options}: add it to packages/${name}/README.md or docs/`,
                ),
      );
    });
  });
}

const appendSite = /\w*[aA]rchive\w*(?:\(\))?\s*[?!]?\.\s*append(?:All)?\b/g;

/** Returns file of packages/langgraph -> number of places that append to the archive. */
export function appendSites(sources) {
  return new Map(
    [...sources].flatMap(([path, text]) => {
      if (!path.startsWith("packages/langgraph/src/") || isTest(path)) return [];
      const count = [...text.matchAll(appendSite)].length;
      return count === 0 ? [] : [[path, count]];
    }),
  );
}

/** "Archive first" has one home; further modules that append are listed, and the list only shrinks. */
export function appendViolations({ sources, appends }) {
  const sites = appendSites(sources);
  const more = [...sites].flatMap(([path, count]) => {
    const allowed = path === appends.home ? Infinity : (appends.exceptions[path] ?? 0);
    return count > allowed
      ? [
          `${path} appends to the archive in ${count} places, ${allowed} are allowed: write through ${appends.home}`,
        ]
      : [];
  });
  const stale = Object.entries(appends.exceptions).flatMap(([path, allowed]) =>
    (sites.get(path) ?? 0) < allowed
      ? [
          `${path} appends to the archive less often than its exception allows: lower it in ${lists} (--accept)`,
        ]
      : [],
  );
  const homeless = sites.has(appends.home)
    ? []
    : [`${appends.home} does not append to the archive: correct "home" in ${lists}`];
  return [...more, ...stale, ...homeless];
}

/** A test project takes the shared configuration, which runs its slow files apart and plays the same cases each time. */
export function testConfigViolations({ testConfigs }) {
  return Object.entries(testConfigs).flatMap(([path, text]) =>
    text.includes("testProject(") ? [] : [`${path} does not call testProject of scripts/test-project.mjs`],
  );
}

/** Returns the violations of all rules. */
export function violationsOf(facts) {
  return [
    ...folderViolations(facts),
    ...arrowViolations(facts),
    ...exportViolations(facts),
    ...sameNameViolations(facts),
    ...readmeViolations(facts),
    ...optionViolations(facts),
    ...appendViolations(facts),
    ...testConfigViolations(facts),
  ];
}
