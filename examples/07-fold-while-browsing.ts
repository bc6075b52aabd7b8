// Lets an agent fold its own context on a long walk through a website. Run: npx tsx examples/07-fold-while-browsing.ts
//
// A local server has the pages; a headless Chromium reads them when playwright-core and a browser are installed, plain
// HTTP when not. `foldNode` stands where `compactionNode` would. A line for each step shows the context as it is sent:
// a dot for a block of one step, [a-b] for one of several, # for the interaction that stands in full.
import { HumanMessage, SystemMessage } from "@langchain/core/messages";
import { MessagesValue, START, StateGraph, StateSchema } from "@langchain/langgraph";
import { ToolNode, toolsCondition } from "@langchain/langgraph/prebuilt";
import { estimateTokens } from "@palimpsest/context";
import { stripDirectives } from "@palimpsest/context/folding";
import { contextState, foldContextTool, foldNode, foldPrompt, unfoldTool } from "@palimpsest/langgraph";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { BrowsingModel } from "./07-browsing/browsing-model.js";
import { drawBlocks } from "./07-browsing/draw-blocks.js";
import { openBrowser } from "./07-browsing/open-browser.js";
import { startSite } from "./07-browsing/start-site.js";

const site = await startSite();
const browser = await openBrowser();
const files = VirtualFilesystem.inMemory();
const options = { files, contextWindow: 32_000 };
const model = new BrowsingModel(site.url);
const tools = [browser.openPage, foldContextTool(options), unfoldTool(options)];
let fullTokens = 0;

const graph = new StateGraph(new StateSchema({ messages: MessagesValue, ...contextState }))
  .addNode("model", async ({ messages }) => {
    console.log(drawBlocks(messages, fullTokens));
    const reply = await model.bindTools(tools).invoke(messages);
    fullTokens += estimateTokens([reply]);
    return { messages: [reply] };
  })
  .addNode("tools", async (state, config) => {
    const update = await new ToolNode(tools).invoke(state, config);
    fullTokens += estimateTokens(update.messages);
    return update;
  })
  .addNode("fold", foldNode(options)) // compactionNode(options) fits here as well
  .addEdge(START, "fold")
  .addEdge("fold", "model")
  .addConditionalEdges("model", toolsCondition)
  .addEdge("tools", "fold")
  .compile();

const question = new HumanMessage(
  `Start at ${site.url}. What does the lamp by Hollis cost with the voucher?`,
);
const system = new SystemMessage(foldPrompt("tool"));
fullTokens = estimateTokens([system, question]);
console.log(`The pages are read by ${browser.name}.`);
try {
  const { messages } = await graph.invoke({ messages: [system, question] }, { recursionLimit: 200 });
  console.log(`\nanswer: ${stripDirectives(messages.at(-1)?.text ?? "")}`);
  console.log(`largest prompt ${model.largestPrompt} tokens; all of the thread has ${fullTokens}`);
} finally {
  await browser.close();
  await site.close();
}
