import type { SessionEvent, SessionFacts } from "../session-event.js";
import { textOf, type Json } from "./make-message.js";

/** Text that Codex writes in the role of the user. */
export function isHarnessText(text: string): boolean {
  return /^\s*(?:<(?:environment_context|user_instructions|turn_aborted|INSTRUCTIONS|user_shell_command)\b|# AGENTS\.md instructions)/.test(
    text,
  );
}

export function factsOf(payload: Json): readonly SessionEvent[] {
  const found: SessionFacts = {
    ...textFact("id", payload["id"]),
    ...textFact("directory", payload["cwd"]),
    ...textFact("version", payload["cli_version"]),
    ...textFact("model", payload["model"]),
  };
  return [{ kind: "facts", facts: found }];
}

function textFact(name: keyof SessionFacts, value: unknown): SessionFacts {
  return typeof value === "string" ? { [name]: value } : {};
}

/** Codex names the text of either side; a provider's block of text has one name. */
export function asText(block: Json): Json {
  const text = textOf(block["text"]);
  return text === undefined ? block : { type: "text", text };
}

export function textsOf(blocks: readonly Json[]): string {
  return blocks.flatMap((block) => textOf(block["text"]) ?? []).join("\n");
}
