// A process that adds files to an index and searches it in between, for the tests of several processes.
import { RecallIndex } from "../recall-index.js";
import { fileOf } from "./fill.js";

interface Work {
  /** A path, or the url of a database. */
  readonly place: string;
  readonly name: string;
  readonly files: number;
}

const { place, name, files }: Work = JSON.parse(process.argv[2] ?? "{}");
const index = place.startsWith("postgres")
  ? await RecallIndex.fromPostgres(place)
  : RecallIndex.fromPath(place);
for (let at = 0; at < files; at++) {
  await index.addFile(fileOf("shared", "all", at));
  await index.addFile(fileOf("shared", name, at));
  await index.addFile(fileOf(name, name, at));
  const [hit] = await index.search(`zebra${name}x${at}`, { thread: "shared" });
  if (hit?.path !== fileOf("shared", name, at).path) throw new Error(`${name} does not find its file ${at}`);
  if (at % 10 === 9) await index.removeThread(`${name}-gone`);
  await index.add([{ thread: `${name}-gone`, path: "/gone", line: 1, text: `gone ${at}` }]);
}
await index.close();
