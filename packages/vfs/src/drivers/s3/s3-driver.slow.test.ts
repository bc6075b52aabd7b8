import { S3 } from "@aws-sdk/client-s3";
import { afterAll, beforeAll, expect, it } from "vitest";
import { DriverBackend } from "../../backends/driver-backend.js";
import { testBackend, testDriver } from "../../testing/index.js";
import { s3Server, type S3Server } from "../../testing/s3-server.js";
import { VirtualFilesystem } from "../../virtual-filesystem.js";
import type { S3Client } from "./s3-client.js";
import { S3Driver } from "./s3-driver.js";

let server: S3Server;
let client: S3;
let drivers = 0;

beforeAll(async () => {
  server = await s3Server({ pageSize: 7 });
  client = clientOf(server);
});
afterAll(async () => {
  client.destroy();
  await server.close();
});

function clientOf({ url }: S3Server, maxAttempts = 3): S3 {
  return new S3({
    maxAttempts,
    endpoint: url,
    region: "us-east-1",
    forcePathStyle: true,
    credentials: { accessKeyId: "test", secretAccessKey: "test" },
  });
}

/** A driver with a prefix of its own: the others are in the same bucket. */
const create = async () => S3Driver.open({ client, bucket: "agents", prefix: `driver ${drivers++}` });

testDriver({ name: "s3", create, numRuns: 10 });

testBackend({
  name: "a driver backend on s3",
  numRuns: 5,
  async create(files) {
    const backend = new DriverBackend(await create());
    for (const [path, content] of Object.entries(files)) await backend.write(path, content);
    return backend;
  },
});

it("lists over several pages of the store, and a deletion during the listing loses none of the others", async () => {
  const driver = await create();
  const paths = Array.from({ length: 30 }, (_, index) => `/d/${String(index).padStart(2, "0")}`);
  await Promise.all(paths.map(async (path) => driver.write(path, new Uint8Array([1]))));
  const seen: string[] = [];
  for await (const { path } of driver.list("/d")) {
    seen.push(path);
    await driver.delete(path);
  }
  expect(seen).toEqual(paths);
});

it("keeps a file that was written again with the same bytes while it was being deleted", async () => {
  const driver = await create();
  const bytes = new TextEncoder().encode("shared");
  await driver.write("/blob", bytes);
  const { modifiedAt = "" } = (await driver.stat("/blob")) ?? {};
  const racing: S3Client = {
    putObject: async (input) => client.putObject(input),
    getObject: async (input) => client.getObject(input),
    listObjectsV2: async (input) => client.listObjectsV2(input),
    async headObject(input) {
      const head = await client.headObject(input);
      await driver.write("/blob", bytes);
      return head;
    },
    deleteObject: async (input) => client.deleteObject(input),
  };
  const collector = await S3Driver.open({
    client: racing,
    bucket: "agents",
    prefix: `driver ${drivers - 1}`,
  });
  expect(await collector.delete("/blob", { ifWrittenBy: modifiedAt })).toBe(false);
  expect(Buffer.from((await driver.read("/blob")) ?? []).toString()).toBe("shared");
});

it.each(["if-none-match", "if-match"])("refuses a store that ignores %s", async (header) => {
  const careless = await s3Server({ ignores: [header] });
  const opened = S3Driver.open({ client: clientOf(careless), bucket: "agents" });
  await expect(opened).rejects.toMatchObject({ code: "unwritable", message: /ignores the condition/ });
  await careless.close();
});

it("refuses an object that no driver has written", async () => {
  const driver = await create();
  await client.putObject({ Bucket: "agents", Key: `driver ${drivers - 1}/foreign`, Body: "short" });
  await expect(driver.read("/foreign")).rejects.toMatchObject({ code: "corrupt" });
});

it("reads the range that is asked for from a store that ignores ranges", async () => {
  const careless = await s3Server({ ignores: ["range"] });
  const driver = await S3Driver.open({ client: clientOf(careless), bucket: "agents" });
  await driver.write("/a", Buffer.from("hello world, and more"));
  const ranges = [
    [6, 11],
    [0, 5],
    [13, 100],
    [21, 30],
    [5, 5],
  ].map(([start = 0, end = 0]) => ({ start, end }));
  const read = await Promise.all(ranges.map(async (range) => driver.read("/a", range)));
  expect(read.map((bytes) => Buffer.from(bytes ?? []).toString())).toEqual([
    "world",
    "hello",
    "and more",
    "",
    "",
  ]);
  await careless.close();
});

it("has written a file whose first answer was lost, so that the client wrote it again", async () => {
  let lost = 0;
  const flaky = await s3Server({
    fault: ({ method }) => (method === "PUT" && lost-- > 0 ? "lost" : undefined),
  });
  const driver = await S3Driver.open({ client: clientOf(flaky), bucket: "agents" });
  lost = 1;
  expect(await driver.write("/a", Buffer.from("one"), { ifAbsent: true })).toBe(true);
  lost = 1;
  expect(await driver.write("/a", Buffer.from("one"), { ifAbsent: true })).toBe(false);
  expect(Buffer.from((await driver.read("/a")) ?? []).toString()).toBe("one");
  await flaky.close();
});

it.each([
  [503, "busy", /status 503/u],
  [403, "unreadable", /access is denied/u],
  ["page", "busy", /no whole page of a listing: .* neither IsTruncated: false/u],
] as const)(
  "a store that answers with %s is named, and its files do not count as missing",
  async (answer, code, why) => {
    let fault: 503 | 403 | "page" | undefined;
    const failing = await s3Server({ fault: () => fault });
    const driver = await S3Driver.open({ client: clientOf(failing, 1), bucket: "agents" });
    await driver.write("/a", Buffer.from("one"));
    fault = answer;
    const listed = driver.list("/")[Symbol.asyncIterator]().next();
    const message = expect.stringMatching(
      /^\/ could not be listed in the bucket "agents".*(?:try again|Check)/u,
    ) as string;
    await expect(listed).rejects.toMatchObject({ code, message });
    await expect(driver.list("/")[Symbol.asyncIterator]().next()).rejects.toThrow(why);
    fault = undefined;
    expect(Buffer.from((await driver.read("/a")) ?? []).toString()).toBe("one");
    await failing.close();
  },
);

it.each([
  ["stat", async (driver: S3Driver) => driver.stat("/a")],
  ["read", async (driver: S3Driver) => driver.read("/a")],
  ["write", async (driver: S3Driver) => driver.write("/a", new Uint8Array())],
  ["delete", async (driver: S3Driver) => driver.delete("/a")],
] as const)("%s says which file the store refused, and why", async (_, call) => {
  let fault: 503 | undefined;
  const failing = await s3Server({ fault: () => fault });
  const driver = await S3Driver.open({ client: clientOf(failing, 1), bucket: "agents" });
  fault = 503;
  await expect(call(driver)).rejects.toMatchObject({
    code: "busy",
    message: expect.stringMatching(/^\/a could not be .* the bucket "agents" \(status 503/u) as string,
  });
  await failing.close();
});

it("a filesystem over it keeps workspaces and archives", async () => {
  const files = new VirtualFilesystem({ driver: await create() });
  const { archive, backend } = files.thread("t1");
  await archive.append("/context/results/a.md", "an original");
  await backend.write("/notes.md", "look at it");
  expect(await files.archive("t1").readText("/context/results/a.md")).toBe("an original");
  expect((await backend.read("/notes.md")).content).toBe("look at it");
});
