export { formats } from "./formats/index.js";
export { readSession, type ReadSessionOptions } from "./read-session.js";
export { maxRecordBytes } from "./records.js";
export { SessionError, type SessionErrorCode } from "./session-error.js";
export type {
  Place,
  RecordedClearing,
  RecordedCompaction,
  SessionEvent,
  SessionFacts,
  SessionFormat,
  SessionRecord,
} from "./session-event.js";
export {
  compactedParts,
  SessionThread,
  type CompactedParts,
  type SessionChange,
  type SessionThreadOptions,
} from "./session-thread.js";
export {
  sessionStore,
  type SessionFiles,
  type SessionStore,
  type SessionStoreEntry,
  type SessionStoreKey,
} from "./session-store.js";
