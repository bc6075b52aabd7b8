export { Archive, archivePrefix } from "./archive.js";
export type * from "./backend.js";
export { BlobStore } from "./blob-store.js";
export type { BlobStoreOptions } from "./blob-store.js";
export { comparePaths } from "./paths.js";
export { CompositeBackend } from "./backends/composite-backend.js";
export { DirectoryBackend } from "./backends/driver-backend.js";
export { DirectoryDriver } from "./drivers/directory-driver.js";
export { DriverBackend } from "./backends/driver-backend.js";
export type { DriverBackendOptions } from "./backends/driver-backend.js";
export { encodeScope } from "./names.js";
export type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "./drivers/file-driver.js";
export { FileError } from "./errors.js";
export type { FileErrorCode, FileErrorOptions } from "./errors.js";
export type { FileDeletion, FileEntry, Files, FilesUpdate } from "./workspace/files.js";
export { MemoryBackend } from "./backends/driver-backend.js";
export { MemoryDriver } from "./drivers/memory-driver.js";
export { mergeFiles } from "./workspace/merge-files.js";
export type { FileLines, MountableBackend } from "./backends/mountable-backend.js";
export { normalizePath } from "./paths.js";
export { safeName } from "./names.js";
export { scopeDriver } from "./drivers/scope-driver.js";
export { VirtualFilesystem } from "./virtual-filesystem.js";
export type {
  Appended,
  AppendListener,
  MountSource,
  ThreadFiles,
  VirtualFilesystemOptions,
} from "./virtual-filesystem.js";
export { WorkspaceBackend } from "./workspace/workspace-backend.js";
export type { WorkspaceBackendOptions } from "./workspace/workspace-backend.js";
