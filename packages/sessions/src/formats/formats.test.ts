import { testFormat } from "../testing/test-format.js";
import { writeClaudeCode } from "../testing/write-claude-code.js";
import { writeCodex } from "../testing/write-codex.js";
import {
  writeGeminiCli,
  writeLangGraph,
  writeMessages,
  writeOpencode,
  writePi,
} from "../testing/write-others.js";

testFormat({ name: "claude-code", write: writeClaudeCode });
testFormat({ name: "codex", write: writeCodex });
testFormat({ name: "pi", write: writePi });
testFormat({ name: "gemini-cli", write: writeGeminiCli });
testFormat({ name: "opencode", write: writeOpencode, hasLines: false });
testFormat({ name: "langgraph", write: writeLangGraph, hasLines: false });
testFormat({ name: "messages", write: writeMessages });
