import type { Scenario } from "../scenario.js";
import { brokenStorage } from "./broken-storage.js";

export const storageRefuses: Scenario = brokenStorage(
  "refuses",
  "A large result while every write is refused",
);
