// A process that takes files into an index and searches it in between. Run by the tests of several processes.
import { RecallIndex } from "../recall-index.js";
import { fileOf } from "./indexed-files.js";

interface Work {
  readonly path: string;
  readonly name: string;
  readonly files: number;
}

const { path, name, files }: Work = JSON.parse(process.argv[2] ?? "{}");
const index = RecallIndex.fromPath(path);
for (let at = 0; at < files; at++) {
  index.addFile(fileOf("shared", "all", at));
  index.addFile(fileOf("shared", name, at));
  index.addFile(fileOf(name, name, at));
  const [hit] = await index.search(`zebra${name}x${at}`, { thread: "shared" });
  if (hit?.path !== fileOf("shared", name, at).path) throw new Error(`${name} does not find its file ${at}`);
  if (at % 10 === 9) index.removeThread(`${name}-gone`);
  index.add([{ thread: `${name}-gone`, path: "/gone", line: 1, text: `gone ${at}` }]);
}
index.close();
