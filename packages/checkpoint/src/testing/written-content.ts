/** Returns what the writer writes at a step of a thread. Pure. */
export function contentOf(threadId: string, step: number): string {
  return `${threadId} ${step} `.repeat(20 + (step % 80));
}

/** How many files the writer writes to in turn. */
export const notes = 3;

/** Returns the workspace file that the writer writes to at a step. Pure. */
export function noteAt(step: number): string {
  return `/notes-${step % notes}.md`;
}
