/**
 * Returns a value as JSON text, whatever it holds: without a limit of depth, with `"[circular]"` for a reference to a container
 * around it, and with a name in place of what cannot be read. Never throws.
 */
export function jsonText(value: unknown): string {
  const parts: string[] = [];
  const around = new Set<object>();
  const work: Task[] = [{ value }];
  for (let task = work.pop(); task !== undefined; task = work.pop()) {
    if ("text" in task) {
      parts.push(task.text);
      if (task.ends !== undefined) around.delete(task.ends);
    } else if (!isContainer(task.value)) parts.push(leafText(task.value));
    else if (around.has(task.value)) parts.push('"[circular]"');
    else {
      around.add(task.value);
      work.push(...tasksOf(task.value));
    }
  }
  return parts.join("");
}

type Task = { readonly value: unknown } | { readonly text: string; readonly ends?: object };

/** Returns the parts of a container, the last one first. */
function tasksOf(container: object): readonly Task[] {
  const isList = Array.isArray(container);
  const tasks: Task[] = [{ text: isList ? "[" : "{" }];
  for (const [index, [key, value]] of entriesOf(container).entries()) {
    const name = isList ? "" : `${JSON.stringify(key)}:`;
    tasks.push({ text: `${index === 0 ? "" : ","}${name}` }, { value });
  }
  return [...tasks, { text: isList ? "]" : "}", ends: container }].toReversed();
}

function isContainer(value: unknown): value is object {
  return typeof value === "object" && value !== null && !isJsonLeaf(value);
}

/** True for an object that JSON shows as a text or that holds bytes. */
export function isJsonLeaf(value: object): boolean {
  return (
    value instanceof Date || value instanceof URL || value instanceof ArrayBuffer || ArrayBuffer.isView(value)
  );
}

function leafText(value: unknown): string {
  if (typeof value === "bigint") return `"${value}"`;
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return '"[unreadable]"';
  }
}

/** Returns the own fields of an object; one field that says so if they cannot be read. */
export function entriesOf(value: object): readonly (readonly [string, unknown])[] {
  try {
    return Object.entries(value);
  } catch {
    return [["", "[unreadable]"]];
  }
}
