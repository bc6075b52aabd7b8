/** Returns what the writer writes at a step of a thread. Pure. */
export function contentOf(threadId: string, step: number): string {
  return `${threadId} ${step} `.repeat(20 + (step % 80));
}
