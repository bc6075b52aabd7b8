import type { Scenario } from "../scenario.js";
import { brokenStorage } from "./broken-storage.js";

export const storageThrows: Scenario = brokenStorage("throws", "A large result while every write throws");
