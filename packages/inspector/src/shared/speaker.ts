const names: Readonly<Record<string, string>> = {
  human: "user",
  ai: "assistant",
  tool: "result",
  function: "result",
};

/** Returns who speaks in messages of a type, as the page names it. Pure. */
export function speaker(type: string): string {
  return names[type] ?? type;
}
