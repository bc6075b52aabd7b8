import { testFormat } from "../testing/test-format.js";
import { writeClaudeCode } from "../testing/write-claude-code.js";
import { writeCodex } from "../testing/write-codex.js";
import { writeOpencode, writeOpencodeStorage } from "../testing/write-opencode.js";
import { writeGeminiCli, writeLangGraph, writeMessages, writePi } from "../testing/write-others.js";

testFormat({ name: "claude-code", write: writeClaudeCode });
testFormat({ name: "codex", write: writeCodex });
testFormat({ name: "pi", write: writePi });
testFormat({ name: "gemini-cli", write: writeGeminiCli });
testFormat({ name: "opencode", write: writeOpencode, hasLines: false });
testFormat({ name: "opencode-storage", write: (story) => writeOpencodeStorage(story, "files") });
testFormat({ name: "opencode-storage", write: (story) => writeOpencodeStorage(story, "rows") });
testFormat({ name: "langgraph", write: writeLangGraph, hasLines: false });
testFormat({ name: "messages", write: writeMessages });
