// Serves the page of a database until its standard input ends: node serve.mjs FILE WINDOW
import { VfsSaver } from "@palimpsest/checkpoint";
import { startInspector } from "@palimpsest/inspector";

const [path, window] = process.argv.slice(2);
const saver = VfsSaver.fromPath(path, { readOnly: true });
const inspector = await startInspector({ saver, window: Number(window) });
process.stdout.write(`${inspector.url}\n`);
process.stdin.resume().on("end", async () => {
  await inspector.close();
  await saver.close();
});
