// Serves the page of a database until its standard input ends: node serve.mjs FILE WINDOW
import { setFlagsFromString } from "node:v8";
import { VfsSaver } from "@palimpsest/checkpoint";
import { startInspector } from "@palimpsest/inspector";

// As the command line does.
setFlagsFromString("--optimize-for-size");
const [path, window] = process.argv.slice(2);
const saver = VfsSaver.fromPath(path, { readOnly: true });
const inspector = await startInspector({ saver, window: Number(window) });
process.stdout.write(`${inspector.url}\n`);
process.stdin.resume().on("end", async () => {
  await inspector.close();
  await saver.close();
});
