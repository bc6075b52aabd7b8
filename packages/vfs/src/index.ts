// What the README documents. What only this repository's packages, evals and tests need is in internal.ts.
export { Archive } from "./archive.js";
export type { Backend } from "./backend.js";
export { CompositeBackend } from "./backends/composite-backend.js";
export { DirectoryBackend, DriverBackend, MemoryBackend } from "./backends/driver-backend.js";
export type { MountableBackend } from "./backends/mountable-backend.js";
export { BlobStore } from "./blob-store.js";
export { DirectoryDriver, type DirectoryDriverOptions } from "./drivers/directory-driver.js";
export type {
  ByteRange,
  DriverDeleteOptions,
  DriverEntry,
  DriverFile,
  DriverWriteOptions,
  FileDriver,
} from "./drivers/file-driver.js";
export { MemoryDriver } from "./drivers/memory-driver.js";
export type { S3Client } from "./drivers/s3/s3-client.js";
export { S3Driver, type S3DriverOptions } from "./drivers/s3/s3-driver.js";
export type { EncryptionOptions } from "./encryption/key-ring.js";
export { FileError, type FileErrorCode } from "./errors.js";
export { comparePaths, normalizePath } from "./paths.js";
export { VirtualFilesystem, type ThreadFiles, type VirtualFilesystemOptions } from "./virtual-filesystem.js";
export type { Files, FilesUpdate } from "./workspace/files.js";
export { mergeFiles } from "./workspace/merge-files.js";
export { WorkspaceBackend } from "./workspace/workspace-backend.js";
