// Searches the archive by meaning, with OpenAI's embeddings and HNSWLib. Run: npx tsx examples/11-search-by-meaning.ts
//
// `HNSWLib` of @langchain/community is the vector store that many have; any other of LangChain's works as well. Without
// OPENAI_API_KEY a server on this machine answers in place of OpenAI's.
import { HNSWLib } from "@langchain/community/vectorstores/hnswlib";
import { OpenAIEmbeddings } from "@langchain/openai";
import { searchHistoryTool } from "@palimpsest/langgraph";
import { RecallIndex } from "@palimpsest/recall";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { localEmbeddings } from "./shared/local-embeddings.js";

const local = process.env["OPENAI_API_KEY"] === undefined ? await localEmbeddings() : undefined;
const embeddings = new OpenAIEmbeddings({
  model: "text-embedding-3-small",
  ...(local === undefined
    ? {}
    : { apiKey: "none", encodingFormat: "float", configuration: { baseURL: local.url } }),
});

const files = VirtualFilesystem.inMemory();
const { archive } = files.thread("report"); // where a node puts what it folds away
await archive.append("/context/results/flat.md", "The landlord wants a tenancy of five years.");
await archive.append("/context/results/port.md", "No vessel has left since the storm.");

const byWords = RecallIndex.inMemory();
const byMeaning = RecallIndex.inMemory({ vectorStore: new HNSWLib(embeddings, { space: "cosine" }) });
const thread = { configurable: { thread_id: "report" } };

for (const [name, index] of Object.entries({ "by words": byWords, "by meaning too": byMeaning })) {
  const search = searchHistoryTool({ files, index }); // a tool of the agent, as any other
  console.log(`${name}: when does a boat go?`);
  console.log(
    `  ${(await search.invoke({ query: "when does a boat go?" }, thread)).replaceAll("\n", "\n  ")}`,
  );
  await index.close();
}
local?.close();
