/** Names in other libraries, as lower-case letters, and the options that they may mean, in order of preference. */
const aliases: Readonly<Record<string, readonly string[]>> = {
  backend: ["files"],
  batchtokens: ["limits: { batch }"],
  chatmodel: ["model"],
  excerpttokens: ["limits: { excerpts }"],
  filesystem: ["files"],
  fs: ["files"],
  inputcharacters: ["limits: { input }"],
  llm: ["model"],
  maxinputtokens: ["contextWindow"],
  maxtokens: ["contextWindow", "budget"],
  maxtokensbeforesummary: ["trigger: { tokens }"],
  messageskey: ["inputKey"],
  messagestokeep: ["keep: { messages }"],
  offloadtokens: ["limits: { offload }"],
  pinfiletokens: ["limits: { pinnedFiles }"],
  previewlines: ["limits: { previewLines }"],
  store: ["files"],
  summarizationmodel: ["summaryModel"],
  summarizationprompt: ["summaryPrompt"],
  summaryinputtokens: ["limits: { summaryInput }"],
  summarymode: ['summaryModel: "native"'],
  summarytimeoutms: ["limits: { summaryMs }"],
  summarytokens: ["limits: { summary }"],
  threshold: ["trigger"],
  timeout: ["limits: { summaryMs }"],
  trigger: ["threshold"],
  truncateargssettings: ["limits: { input }"],
  userlinetokens: ["limits: { userLines }"],
  usertokens: ["limits: { userMessages }"],
  verbatimtokens: ["limits: { verbatim }"],
  vfs: ["files"],
  window: ["contextWindow"],
};

/** Returns the name that `given` is probably a misspelling or synonym of, or undefined. Pure. */
export function nearestName(given: string, names: readonly string[]): string | undefined {
  const plain = lettersOf(given);
  const alias = aliases[plain]?.find((name) => names.includes(name.replace(/:.*/, "")));
  if (alias !== undefined) return alias;
  const nearest = names
    .map((name) => ({ name, distance: editDistance(plain, lettersOf(name)) }))
    .toSorted((a, b) => a.distance - b.distance)[0];
  if (nearest === undefined) return undefined;
  return nearest.distance <= Math.max(1, Math.floor(plain.length / 3)) ? nearest.name : undefined;
}

function lettersOf(name: string): string {
  return name.replaceAll(/[^a-z0-9]/gi, "").toLowerCase();
}

/** Returns the number of insertions, deletions, replacements and swaps of adjacent characters (optimal string alignment). */
function editDistance(a: string, b: string): number {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i]);
  const at = (i: number, j: number) => rows[i]?.[j] ?? (i === 0 ? j : Infinity);
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const differs = a[i - 1] === b[j - 1] ? 0 : 1;
      const isExchanged = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      const steps = [at(i - 1, j) + 1, at(i, j - 1) + 1, at(i - 1, j - 1) + differs];
      (rows[i] ??= [])[j] = Math.min(...steps, isExchanged ? at(i - 2, j - 2) + 1 : Infinity);
    }
  }
  return at(a.length, b.length);
}
