import { testProject, withPostgres } from "../scripts/test-project.mjs";

export default testProject("examples", withPostgres);
