/** A package to find facts about, and the symbol to locate in it. */
export interface Subject {
  readonly name: string;
  readonly symbol: string;
}

/** What the user asks for. */
export interface Request {
  /** An audit ends in /report.md; research ends in an answer. */
  readonly kind: "audit" | "research";
  readonly subjects: readonly Subject[];
  /** Names of all audited packages. */
  readonly audited: readonly string[];
  /** The rules for the facts, as the user worded them. */
  readonly rules: string;
}

const auditedOpening = "The audited packages are: ";

/** Returns what the user's message asks for. Pure. */
export function readRequest(text: string): Request {
  const subjects = text.split("\n").flatMap((line): Subject[] => {
    const match = /^- (\S+\/?\S*): ([A-Za-z]\w*)$/.exec(line);
    return match === null ? [] : [{ name: match[1] ?? "", symbol: match[2] ?? "" }];
  });
  const named = text.split("\n").find((line) => line.startsWith(auditedOpening));
  const from = text.indexOf("Facts to find");
  const end = text.indexOf("\n\n", from);
  return {
    kind: text.startsWith("# Research") ? "research" : "audit",
    subjects,
    audited: named?.slice(auditedOpening.length).split(", ") ?? subjects.map((each) => each.name),
    rules: from < 0 ? "" : text.slice(from, end < 0 ? undefined : end),
  };
}

/** The message for a subagent that researches one package. */
export function researchRequest(subject: Subject, request: Request): string {
  const rules = request.rules.split("\nKeep a note")[0] ?? "";
  return `# Research
Find the facts about this package with the research tools. Answer with a short report: a line "Report on ${subject.name}:", then one line per fact.
- ${subject.name}: ${subject.symbol}
${auditedOpening}${request.audited.join(", ")}
${rules}`;
}
