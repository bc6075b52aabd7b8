import { testProject } from "../../scripts/test-project.mjs";

export default testProject("inspector", { hookTimeout: 120_000 });
