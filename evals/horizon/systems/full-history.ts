import { textOf } from "../../data/text-of.js";
import type { HorizonSystem } from "../system.js";

/** Sends everything, as a ReAct agent does. */
export const fullHistory: HorizonSystem = {
  name: "full history",
  start() {
    const texts: string[] = [];
    let characters = 0;
    return {
      async step(added) {
        for (const message of added) {
          const text = textOf(message);
          texts.push(text);
          characters += text.length;
        }
        return characters / 4;
      },
      prompt: () => texts.join("\n"),
    };
  },
};
