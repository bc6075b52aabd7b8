import type { BackendProtocolV2, FilesystemBackend, StateBackend } from "deepagents";
import type {
  Backend,
  CompositeBackend,
  DriverBackend,
  MountableBackend,
  WorkspaceBackend,
} from "./index.js";

/** Compiles only when `Given` is assignable to `Wanted`. */
type Assignable<Wanted, Given extends Wanted> = Given;

/** Our backends drop into deepagents, and deepagents' backends can be mounted in ours. */
export type Checks = [
  Assignable<BackendProtocolV2, Backend>,
  Assignable<BackendProtocolV2, DriverBackend>,
  Assignable<BackendProtocolV2, WorkspaceBackend>,
  Assignable<BackendProtocolV2, CompositeBackend>,
  Assignable<MountableBackend, Backend>,
  Assignable<MountableBackend, BackendProtocolV2>,
  Assignable<MountableBackend, StateBackend>,
  Assignable<MountableBackend, FilesystemBackend>,
  // @ts-expect-error -- a backend without `grep` is none
  Assignable<BackendProtocolV2, Omit<Backend, "grep">>,
];
