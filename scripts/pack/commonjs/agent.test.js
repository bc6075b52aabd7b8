const { all } = require("./node10/agent.js");

test("an agent keeps its thread whole", async () => {
  expect(await all("jest.db")).toEqual([24, "Question 0", 24, "function", "function", "function"]);
}, 120_000);
