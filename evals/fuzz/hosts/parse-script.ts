import type { ModelStep, Move, Script, Settings, Size } from "./script.js";

/** Returns the script that `describeScript` has described. */
export function parseScript(text: string): Script {
  const [first = "{}", ...lines] = text.trim().split("\n");
  const moves = lines.map((line) => parseMove(line.trim().replace(/^\d+: /, "")));
  return { settings: JSON.parse(first) as Settings, moves };
}

function parseMove(line: string): Move {
  const [head = "", steps = ""] = line.split("| ");
  const [kind, subject, ...flags] = head.trim().split(" ");
  if (kind !== "turn") return { kind: kind as "edit", at: Number(subject) };
  return {
    kind,
    text: subject as Size,
    resend: flags.includes("resend"),
    outage: flags.includes("outage"),
    pause: flags.includes("pause"),
    steps: steps.split("; ").map(parseStep),
  };
}

function parseStep(text: string): ModelStep {
  const words = text.split(" ");
  const thinking = words[0] === "think";
  const [what, ...rest] = thinking ? words.slice(1) : words;
  const [sizes, error] = what === "call" ? rest : ["", ...rest];
  return {
    calls: sizes === "" ? [] : ((sizes ?? "").split("+") as Size[]),
    thinking,
    error: error as ModelStep["error"],
  };
}
