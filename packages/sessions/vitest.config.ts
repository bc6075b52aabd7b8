import { testProject } from "../../scripts/test-project.mjs";

export default testProject("sessions");
