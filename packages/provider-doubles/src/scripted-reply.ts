/** What the model says in one call; the double binds the thinking to its prefix and names the calls. */
export interface ScriptedReply {
  readonly thinking?: string;
  /** Sends the thinking as an encrypted block, where the provider has such blocks. @default false */
  readonly isRedacted?: boolean;
  readonly text?: string;
  readonly calls?: readonly { readonly name: string; readonly args: Readonly<Record<string, unknown>> }[];
  /** @default "tool_use" with calls, "end_turn" without; the Responses API has none */
  readonly stopReason?: string;
}
