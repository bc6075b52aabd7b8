// The agent's model: OpenAI's where there is a key, otherwise an offline one that reads logs and needs no network.
import { ChatOpenAI } from "@langchain/openai";
import { existsSync } from "node:fs";
import { LogReader } from "./offline-model.js";

if (existsSync(".env")) process.loadEnvFile(".env");

/** Tokens. Small, so that a short run shows a compaction; leave it out to use the window of the model. */
export const contextWindow = 32_000;

export const isOffline = (process.env["OPENAI_API_KEY"] ?? "") === "";
export const model = isOffline ? new LogReader({ contextWindow }) : new ChatOpenAI({ model: "gpt-4o-mini" });
