// Runs an eval suite: npm run eval -- replay | failures [options of the suite; see README.md]
import { failures } from "./failures/failures.js";
import { replay } from "./replay/replay.js";
import type { Suite } from "./suite.js";

const suites: Readonly<Record<string, Suite>> = { replay, failures };
const [name = "replay", ...args] = process.argv.slice(2);
const suite = suites[name];
if (suite === undefined) {
  console.error(`No suite is called ${name}; there are: ${Object.keys(suites).join(", ")}`);
  process.exit(2);
}
process.exit((await suite(args)) ? 0 : 1);
