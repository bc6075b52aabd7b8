export { startInspector, type Inspector, type InspectorOptions } from "./server/start-inspector.js";
export { InspectorError } from "./inspector-error.js";
export { mainNamespace, readState, stepsOf, unfoldState, type ThreadState } from "./reading/read-state.js";
export { findFolds, type FoundFold } from "./reading/find-folds.js";
export { MessageSearch, wordsOf, type FoundMessage } from "./reading/find-messages.js";
export { compareStates } from "./reading/compare-states.js";
export { addUsage } from "./reading/add-usage.js";
export { listThreads, sizeOfThread } from "./reading/list-threads.js";
