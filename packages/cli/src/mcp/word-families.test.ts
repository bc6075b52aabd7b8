import { expect, it } from "vitest";
import { familyOf, WordFamilies } from "./word-families.js";

it.each([
  ["recommendation", "recommend"],
  ["planning", "plan"],
  ["friendly", "friend"],
  ["user", "user"],
  ["parser_v2", "parser_v2"],
])("the family of %s is %s", (word, family) => {
  expect(familyOf(word)).toBe(family);
});

it("a question gets the relatives of its words that the texts hold, and keeps its own words", () => {
  const families = new WordFamilies();
  // The index itself finds `friend` by `friendly`.
  families.add("She gave a recommendation, a good recommender, and her friend was friendly.");
  expect(families.widened("What did he recommend to his friend?")).toBe(
    "What did he recommend to his friend? recommendation recommender",
  );
  expect(families.widened("Where is src/parse.ts?")).toBe("Where is src/parse.ts?");
  families.clear();
  expect(families.widened("What did he recommend?")).toBe("What did he recommend?");
});
