/** What is read of the config that LangGraph hands to nodes and tools. Every field may be missing. */
export interface NodeConfig {
  readonly configurable?: Readonly<Record<string, unknown>> | undefined;
  readonly writer?: ((chunk: unknown) => void) | null | undefined;
  readonly signal?: AbortSignal | undefined;
}
