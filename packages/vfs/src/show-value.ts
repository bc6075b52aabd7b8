const limit = 120;

/** Returns a value as short text for an error message. Never throws. */
export function showValue(value: unknown): string {
  const text = typeof value === "string" ? JSON.stringify(value) : String(value);
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`;
}
