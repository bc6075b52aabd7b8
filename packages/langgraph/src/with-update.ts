import { Command } from "@langchain/langgraph";

/** Returns a command with another update. */
export function withUpdate(
  { goto, graph, resume }: Command,
  update: NonNullable<Command["update"]>,
): Command {
  const others = Object.entries({ goto, graph, resume }).filter(
    ([, value]) => value !== undefined && value !== null,
  );
  return new Command({ ...Object.fromEntries(others), update });
}
