/** A part of a content; fields beyond these are carried as they are. */
export interface Part {
  readonly text?: string;
  readonly thought?: boolean;
  readonly thoughtSignature?: string;
  readonly functionCall?: { readonly name: string; readonly args?: unknown; readonly id?: string };
  readonly functionResponse?: { readonly name: string; readonly id?: string };
  readonly [field: string]: unknown;
}

export interface Content {
  readonly role?: string;
  readonly parts?: readonly Part[];
}

/** The body of `POST /v1beta/models/MODEL:generateContent`, as far as the double looks at it. */
export interface GenerateRequest {
  readonly contents: readonly Content[];
  readonly systemInstruction?: Content;
  readonly tools?: readonly unknown[];
}

/** Signatures with which a client may mark calls that no model signed, such as those of another provider. */
const placeholders: ReadonlySet<string> = new Set([
  "skip_thought_signature_validator",
  "context_engineering_is_the_way_to_go",
]);

/** Models before the third generation do not ask for signatures. */
const lenient = /gemini-[12]/;

interface RuleOptions {
  readonly model: string;
  /** Signatures that the server has made. */
  readonly issued: ReadonlySet<string>;
}

/** Returns what the API says of contents that it does not accept, or undefined. */
export function contentsFault(contents: readonly Content[], options: RuleOptions): string | undefined {
  for (const [index, content] of contents.entries()) {
    const fault = shapeFault(contents, content, index);
    if (fault !== undefined) return fault;
  }
  if (lenient.test(options.model)) return undefined;
  const start = contents.findLastIndex(isOfUser);
  for (const content of contents.slice(Math.max(0, start))) {
    const fault = signatureFault(content, options);
    if (fault !== undefined) return fault;
  }
  return undefined;
}

function shapeFault(contents: readonly Content[], content: Content, index: number): string | undefined {
  const { parts = [] } = content;
  if (parts.length === 0) return "* GenerateContentRequest.contents: contents.parts must not be empty.";
  const calls = parts.filter(({ functionCall }) => functionCall !== undefined).length;
  const before = contents[index - 1];
  if (calls > 0 && before?.role === "model") {
    return "Please ensure that function call turn comes immediately after a user turn or after a function response turn.";
  }
  const responses = responsesIn(content);
  const asked = index === 0 ? 0 : callsIn(before);
  if (responses !== asked || (calls > 0 && index === contents.length - 1)) {
    return "Please ensure that the number of function response parts is equal to the number of function call parts of the function call turn.";
  }
  return undefined;
}

/** The first call of each step carries the signature of the step; other parts need none. */
function signatureFault({ parts = [] }: Content, { issued }: RuleOptions): string | undefined {
  const first = parts.findIndex(({ functionCall }) => functionCall !== undefined);
  const call = parts[first];
  if (call !== undefined && call.thoughtSignature === undefined) {
    return `Function call is missing a thought_signature in functionCall parts. This is required for tools to work correctly. Additional data, function call \`default_api:${call.functionCall?.name}\`, position ${first + 1}.`;
  }
  const foreign = parts.find(
    ({ thoughtSignature: signature }) =>
      signature !== undefined && !issued.has(signature) && !placeholders.has(signature),
  );
  return foreign === undefined ? undefined : "Corrupted thought signature.";
}

/** True for what the user says; results of functions have the same role. */
function isOfUser(content: Content): boolean {
  return content.role === "user" && responsesIn(content) === 0;
}

function callsIn(content: Content | undefined): number {
  return (content?.parts ?? []).filter(({ functionCall }) => functionCall !== undefined).length;
}

function responsesIn({ parts = [] }: Content): number {
  return parts.filter(({ functionResponse }) => functionResponse !== undefined).length;
}
