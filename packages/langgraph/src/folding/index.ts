export { foldContextTool } from "./fold-context-tool.js";
export { foldNode } from "./fold-node.js";
export type { FoldOptions } from "./fold-options.js";
export { foldPrompt, type DirectiveForm } from "./fold-view.js";
export { foldView, type FoldViewOptions } from "./fold-view.js";
