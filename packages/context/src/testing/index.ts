export * from "./history-arbitrary.js";
export { hostileMessages, type HostileMessage } from "./hostile-messages.js";
export * from "./legality.js";
export type * from "./legality-rule.js";
export { alternatingRoles } from "./provider-rules.js";
export { ForeignMessage, messageImage } from "./message-image.js";
export * from "./record-writes.js";
export * from "./text-arbitrary.js";
export * from "./talk.js";
