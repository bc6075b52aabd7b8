/** What the bound tools tell: their names, and how full the context is by the description of `compress_context`, in percent. */
export interface Workbench {
  readonly tools: ReadonlySet<string>;
  readonly fill: number;
}
