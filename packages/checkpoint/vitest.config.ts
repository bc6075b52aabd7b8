import { testProject, withPostgres } from "../../scripts/test-project.mjs";

// The host's conformance suite expects Vitest's functions as globals.
export default testProject("checkpoint", { ...withPostgres, globals: true });
