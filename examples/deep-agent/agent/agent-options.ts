import { type BaseChatModel } from "@langchain/core/language_models/chat_models";
import { type StructuredToolInterface } from "@langchain/core/tools";
import { type Recorder } from "../recorder.js";

/** What both agents, with and without Palimpsest, are made of. */
export interface AgentOptions {
  readonly model: BaseChatModel;
  /** The research tools. */
  readonly tools: readonly StructuredToolInterface[];
  readonly recorder: Recorder;
}

/** Steps of a graph before LangGraph takes the run for a loop: a long job is the point here. */
export const stepLimit = 5_000;
