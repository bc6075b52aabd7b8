import type { DynamicStructuredTool } from "@langchain/core/tools";
import { editFileTool } from "./edit-file-tool.js";
import type { FileToolsOptions } from "./file-tool.js";
import { globTool } from "./glob-tool.js";
import { grepTool } from "./grep-tool.js";
import { lsTool } from "./ls-tool.js";
import { readFileTool } from "./read-file-tool.js";
import { writeFileTool } from "./write-file-tool.js";

/**
 * Returns the tools by which the agent works with its files and looks up what was folded away: `ls`, `read_file`,
 * `write_file`, `edit_file`, `glob`, `grep`.
 *
 * The archive below `/context/` can be read and searched, not written. Results are bounded and say how to go on.
 * @throws ContextError when an option cannot work.
 */
export function fileTools(options: FileToolsOptions): DynamicStructuredTool[] {
  return [
    lsTool(options),
    readFileTool(options),
    writeFileTool(options),
    editFileTool(options),
    globTool(options),
    grepTool(options),
  ];
}
