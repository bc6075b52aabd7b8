export { runCli, type CliOutput } from "./run-cli.js";
