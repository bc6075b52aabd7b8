export * from "./added-illegalities.js";
export * from "./foreign-message.js";
export * from "./history-arbitrary.js";
export * from "./illegalities.js";
export * from "./message-image.js";
export * from "./record-writes.js";
export * from "./text-arbitrary.js";
export * from "./talk.js";
