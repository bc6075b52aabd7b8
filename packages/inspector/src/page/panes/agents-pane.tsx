import { costOf } from "../../shared/cost/cost-of.js";
import { agentSums, type AgentView } from "../../shared/agent-view.js";
import type { ModelUsage } from "../../view.js";
import { count, counted, duration, money, plain } from "../format.js";
import { start } from "../place.js";
import { useLoaded } from "../source/use-loaded.js";
import type { Pane, PaneProps } from "./pane.js";

/** The subagents as a tree, and what those of one name took together. */
export const agentsPane: Pane = { id: "agents", label: "agents", render: (props) => <Agents {...props} /> };

function Agents({ source, thread, isWhole, prices, go }: PaneProps) {
  const { value, error } = useLoaded(
    async () => (isWhole ? source.agents(thread) : undefined),
    [source, thread, isWhole],
  );
  const open = ({ thread: own, namespace }: AgentView): void =>
    go({ ...start, thread: own ?? thread, namespace: namespace ?? "" });
  return (
    <div class="scroll pad" tabIndex={0} role="region" aria-label="Agents">
      {error !== "" && <p class="error">{plain(error)}</p>}
      {value === undefined && error === "" && <p class="dim">reading …</p>}
      {value?.length === 0 && <p class="dim">This agent has started no subagents.</p>}
      {value !== undefined && value.length > 0 && (
        <>
          <Tree agents={value} onOpen={open} cost={(usage) => costText(usage, prices)} />
          <Sums agents={value} cost={(usage) => costText(usage, prices)} />
        </>
      )}
    </div>
  );
}

interface TreeProps {
  readonly agents: readonly AgentView[];
  readonly cost: (usage: readonly ModelUsage[]) => string;
  readonly onOpen: (agent: AgentView) => void;
}

function Tree({ agents, cost, onOpen }: TreeProps) {
  return (
    <ul class="tree">
      {agents.map((agent) => (
        <li key={agent.thread ?? agent.namespace}>
          <button class="hit" onClick={() => onOpen(agent)}>
            <span>
              <b>{plain(agent.name)}</b>{" "}
              <span class="dim">
                {duration(agent.from, agent.to)}
                {agent.folds > 0 && `, ${counted(agent.folds, "fold")}`}
              </span>{" "}
              {agent.errors > 0 && <span class="failed">{counted(agent.errors, "error")}</span>}
            </span>
            <span class="dim">{usageText(agent.usage, cost)}</span>
          </button>
          {agent.agents.length > 0 && <Tree {...{ cost, onOpen }} agents={agent.agents} />}
        </li>
      ))}
    </ul>
  );
}

function Sums({ agents, cost }: Pick<TreeProps, "agents" | "cost">) {
  return (
    <table>
      <thead>
        <tr>
          <th>together</th>
          {["runs", "calls", "input", "output", "cost"].map((head) => (
            <th class="figure" key={head}>
              {head}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {agentSums(agents).map(({ name, runs, usage }) => (
          <tr key={name}>
            <td>{plain(name)}</td>
            {[runs, sumOf(usage, "calls"), sumOf(usage, "input"), sumOf(usage, "output")].map(
              (figure, column) => (
                <td class="figure" key={column}>
                  {count(figure)}
                </td>
              ),
            )}
            <td class="figure">{cost(usage)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function usageText(usage: readonly ModelUsage[], cost: TreeProps["cost"]): string {
  if (usage.length === 0) return "its model reported no usage";
  const price = cost(usage);
  const tokens = `read ${count(sumOf(usage, "input"))} and wrote ${count(sumOf(usage, "output"))} tokens`;
  return `${counted(sumOf(usage, "calls"), "call")} ${tokens}${price === "" ? "" : `, cost ${price}`}`;
}

function sumOf(usage: readonly ModelUsage[], field: "calls" | "input" | "output"): number {
  return usage.reduce((sum, one) => sum + one[field], 0);
}

/** Returns the cost; empty if a model has no prices. */
function costText(usage: readonly ModelUsage[], { of }: PaneProps["prices"]): string {
  const costs = usage.flatMap((one) => {
    const prices = of(one.model);
    return prices === undefined ? [] : [costOf(one, prices)];
  });
  const isWhole = usage.length > 0 && costs.length === usage.length;
  return isWhole ? money(costs.reduce((sum, one) => sum + one, 0)) : "";
}
