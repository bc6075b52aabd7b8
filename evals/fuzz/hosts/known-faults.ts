/** Kinds of faults that each strategy still has. The fuzzer looks past them; a mended one leaves the list. */
export const knownFaults: Readonly<Record<string, readonly string[]>> = {
  "compactionNode behind compactionCondition": ["lost", "pin"],
  "offloadTools before compactionNode": ["illegal", "lost"],
  maskToolResultsNode: ["lost"],
  offloadLargeToolResultNode: ["lost", "illegal"],
  truncateToolInputsNode: ["lost"],
  summarizeNode: ["stale", "lost"],
  "foldNode on directives": ["lost"],
  "foldNode as a view": ["lost", "removed"],
  "predictiveContextNode as a view": ["pin"],
  contextMiddleware: ["lost"],
  "contextMiddleware of a nested agent": ["lost"],
};
