import { testProject, withPostgres } from "../../scripts/test-project.mjs";

export default testProject("recall", withPostgres);
