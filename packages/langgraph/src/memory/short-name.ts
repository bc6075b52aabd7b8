import { hashText, threadsDirectory } from "@palimpsest/vfs/internal";

/** Characters of a directory's name that are as good as a short one. */
const longest = 20;
const shown = { readable: 8, digits: 10, ofTurn: 4 };
/** Neither a plain name, which has no dot, nor a name with a whole digest. */
const shortThread = /^[a-z0-9_-]{8}\.[0-9a-f]{10}$/;
const shortTurn = /^(\d+-[0-9a-f]{4})\.md$/;

/** Returns a short name for the directory of a thread. Pure. */
export function shortName(directory: string): string {
  if (directory.length <= longest) return directory;
  const readable = directory.slice(0, shown.readable).replace(".", "_");
  return `${readable}.${hashText(directory, shown.digits)}`;
}

/** Returns true for a name that only {@link shortName} makes. Pure. */
export function isShortName(name: string): boolean {
  return shortThread.test(name);
}

/**
 * Returns a path of a turn, `/threads/<thread>/turns/<turn>.md`, as a search across threads shows it, without its folder and with short
 * names: a long path costs more tokens than many a hit. Pure.
 */
export function shortTurnPath(path: string): string {
  const [directory = "", , turn = ""] = path.slice(threadsDirectory.length + 1).split("/");
  const short = turn.slice(0, turn.indexOf("-") + 1 + shown.ofTurn);
  return `${threadsDirectory}/${shortName(directory)}/${short}.md`;
}

/** Returns how the name of the turn begins that such a path ends with; undefined for other names. Pure. */
export function turnStart(name: string): string | undefined {
  return shortTurn.exec(name)?.[1];
}
