/** Returns the name of the node whose run wrote into a namespace: the last part of it, without the id of the run. Pure. */
export function runName(namespace: string): string {
  const last = namespace.slice(namespace.lastIndexOf("|") + 1);
  return last.split(":", 1)[0] ?? last;
}

/** Returns the namespace of the run that a run is inside of; empty for the agent of the thread. Pure. */
export function outerNamespace(namespace: string): string {
  return namespace.slice(0, Math.max(0, namespace.lastIndexOf("|")));
}
