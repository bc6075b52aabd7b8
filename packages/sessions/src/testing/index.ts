export { chunksOf, readAll, type ReadAll } from "./read-all.js";
export {
  keptRule,
  lostRule,
  madeStory,
  needle,
  type MadeStoryOptions,
  type Story,
  type StoryCall,
  type StoryStep,
} from "./story.js";
export { testFormat, type TestFormatOptions } from "./test-format.js";
export { writeClaudeCode } from "./write-claude-code.js";
export { writeCodex } from "./write-codex.js";
export {
  opencodeFiles,
  opencodeRows,
  writeOpencode,
  writeOpencodeStorage,
  type OpencodeRow,
} from "./write-opencode.js";
export { writeGeminiCli, writeLangGraph, writeMessages, writePi } from "./write-others.js";
