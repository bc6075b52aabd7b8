// For the other packages, evals and tests of this repository. No compatibility is promised.
export { archivePrefix, digestInName } from "./archive.js";
export type {
  DeleteResult,
  EditResult,
  FileData,
  FileDownloadResponse,
  FileInfo,
  FileUploadResponse,
  GlobResult,
  GrepCount,
  GrepMatch,
  GrepOptions,
  GrepResult,
  LsResult,
  MaybePromise,
  ReadBytesResult,
  ReadRawResult,
  ReadResult,
  SearchOptions,
  WriteResult,
} from "./backend.js";
export type { DriverBackendOptions } from "./backends/driver-backend.js";
export type { FileLines } from "./backends/mountable-backend.js";
export type { BlobStoreOptions } from "./blob-store.js";
export { hasFilesBelow, readAll } from "./drivers/file-driver.js";
export { scopeDriver } from "./drivers/scope-driver.js";
export type { ContentKey } from "./encryption/content-key.js";
export { decryptContent, encryptContent, isEncrypted, readHead } from "./encryption/encrypted-content.js";
export { EncryptedDriver } from "./encryption/encrypted-driver.js";
export { KeyRing, missingKey } from "./encryption/key-ring.js";
export type { FileErrorOptions, FileOperationError } from "./errors.js";
export {
  blobPath,
  blobsDirectory,
  encryptedDirectory,
  scopeDirectory,
  scopesDirectory,
  threadDirectory,
  threadsDirectory,
} from "./layout.js";
export { isLaneName, Lanes, lanesPrefix, type LaneRecord, type LaneShare } from "./lanes.js";
export { countLines } from "./reading/lines.js";
export { withLock } from "./lock.js";
export { encodeScope, hashText, safeName } from "./names.js";
export { ThreadKeys, type StoredKeys } from "./thread-keys.js";
export { ThreadSeal, type SealPurpose, type Signer } from "./thread-seal.js";
export type { Appended, AppendListener, HeldFiles, MountSource, ThreadView } from "./virtual-filesystem.js";
export type { FileDeletion, FileEntry } from "./workspace/files.js";
export type { WorkspaceBackendOptions } from "./workspace/workspace-backend.js";
