// What langgraph.json names: the graph, and the routes that keep archives with their threads.
import { tmpdir } from "node:os";
import { join } from "node:path";
import { VirtualFilesystem } from "@palimpsest/vfs";
import { buildAgent } from "./agent.js";
import { archiveRoutes } from "./archive-routes.js";

const files = VirtualFilesystem.fromDirectory(
  process.env["ARCHIVE_DIRECTORY"] ?? join(tmpdir(), "palimpsest-server"),
);

export const graph = buildAgent(files);
export const app = archiveRoutes(files);
