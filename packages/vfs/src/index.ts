export { Archive, archivePrefix } from "./archive.js";
export type * from "./backend.js";
export { BlobStore } from "./blob-store.js";
export type { BlobStoreOptions } from "./blob-store.js";
export { comparePaths } from "./compare-paths.js";
export { CompositeBackend } from "./composite-backend.js";
export { DirectoryBackend } from "./directory-backend.js";
export { DirectoryDriver } from "./directory-driver.js";
export { DriverBackend } from "./driver-backend.js";
export type { DriverBackendOptions } from "./driver-backend.js";
export { encodeScope } from "./encode-scope.js";
export type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverWriteOptions,
  FileDriver,
} from "./file-driver.js";
export { FileError } from "./file-error.js";
export type { FileErrorCode, FileErrorOptions } from "./file-error.js";
export type { FileDeletion, FileEntry, Files, FilesUpdate } from "./files.js";
export { MemoryBackend } from "./memory-backend.js";
export { MemoryDriver } from "./memory-driver.js";
export { mergeFiles } from "./merge-files.js";
export type { FileLines, MountableBackend } from "./mountable-backend.js";
export { normalizePath } from "./normalize-path.js";
export { safeName } from "./safe-name.js";
export { scopeDriver } from "./scope-driver.js";
export { VirtualFilesystem } from "./virtual-filesystem.js";
export type {
  Appended,
  AppendListener,
  MountSource,
  ThreadFiles,
  VirtualFilesystemOptions,
} from "./virtual-filesystem.js";
export { WorkspaceBackend } from "./workspace-backend.js";
export type { WorkspaceBackendOptions } from "./workspace-backend.js";
