import type { SessionFormat } from "../session-event.js";
import { claudeCode } from "./claude-code.js";
import { codex } from "./codex.js";
import { geminiCli } from "./gemini-cli.js";
import { langgraph } from "./langgraph.js";
import { messages } from "./messages.js";
import { opencode, opencodeStorage } from "./opencode.js";
import { pi } from "./pi.js";

/** Every known format, in the order in which a record is offered to them. */
export const formats: readonly SessionFormat[] = [
  claudeCode,
  codex,
  pi,
  geminiCli,
  opencode,
  opencodeStorage,
  langgraph,
  messages,
];
