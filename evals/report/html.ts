/** Text that is HTML already. */
export interface Html {
  readonly html: string;
}

type Part = string | number | Html | readonly Html[];

/** Returns a template as HTML; every value that is not HTML is escaped. Pure. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const texts = parts.map(textOf);
  return { html: strings.map((string, index) => `${string}${texts[index] ?? ""}`).join("") };
}

/** Returns text as HTML without escaping it. Only for text that this project generates. */
export function raw(text: string): Html {
  return { html: text };
}

function textOf(part: Part): string {
  if (typeof part === "number") return String(part);
  if (typeof part === "string") return escape(part);
  return "html" in part ? part.html : part.map((each) => each.html).join("");
}

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replaceAll(/[&<>"']/g, (character) => entities[character] ?? character);
}
