import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** What an encoder knows and a word search does not: words of one meaning. */
const meanings = [
  ["rent", "lease", "tenancy", "landlord"],
  ["price", "cost", "costs", "expensive", "euro"],
  ["ship", "boat", "vessel", "harbour"],
  ["rain", "storm", "weather", "wind"],
];

/** Starts a server on this machine that answers OpenAI's `/v1/embeddings` with one dimension for each meaning. */
export async function localEmbeddings(): Promise<{ readonly url: string; close(): void }> {
  const server = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      const { input } = JSON.parse(body) as { input: string | readonly string[] };
      const texts = typeof input === "string" ? [input] : input;
      const data = texts.map((text, index) => ({ object: "embedding", index, embedding: vectorOf(text) }));
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ object: "list", data, model: "local", usage: {} }));
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() };
}

/** The last dimension keeps a text without any of these words from being a vector of zeros. */
function vectorOf(text: string): readonly number[] {
  const words = text.toLowerCase().split(/\W+/);
  return [...meanings.map((group) => words.filter((word) => group.includes(word)).length), 0.1];
}
