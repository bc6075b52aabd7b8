import { BaseLlm, type BaseLlmConnection, type LlmRequest, type LlmResponse } from "@google/adk";
import type { TableHost } from "../table-system.js";

/** A model of the Agent Development Kit that only writes summaries. */
export class ScriptedLlm extends BaseLlm {
  constructor(readonly host: TableHost) {
    super({ model: "scripted" });
  }

  override async *generateContentAsync({ contents }: LlmRequest): AsyncGenerator<LlmResponse, void> {
    const texts = contents.flatMap(({ parts = [] }) => parts.flatMap(({ text }) => text ?? []));
    yield { content: { role: "model", parts: [{ text: await this.host.summarize(texts) }] } };
  }

  override connect(): Promise<BaseLlmConnection> {
    throw new Error("The scripted model has no live connection");
  }
}
