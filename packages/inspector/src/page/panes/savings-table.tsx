import { costOf } from "../../shared/cost/cost-of.js";
import type { Savings } from "../../shared/cost/savings.js";
import type { ModelUsage } from "../../view.js";
import { count, counted, money } from "../format.js";
import type { TypedPrices } from "../prices.js";
import { useLoaded } from "../source/use-loaded.js";
import type { PaneProps } from "./pane.js";

type SavingsProps = Pick<PaneProps, "source" | "thread" | "rows" | "window" | "prices" | "calls" | "select">;

/** The thread beside the same thread without folds. Nothing while it is read, and for a thread without calls. */
export function SavingsTable({ source, thread, rows, window, ...rest }: SavingsProps) {
  const { value } = useLoaded(
    async () => source.savings(thread, window),
    [source, thread, window, rows.length],
  );
  if (value === undefined || value.calls === 0) return null;
  return (
    <section class="saved">
      <h2>What the folds saved</h2>
      <Comparison saved={value} prices={rest.prices} />
      <Consequences saved={value} window={window} {...rest} />
    </section>
  );
}

interface ComparisonProps {
  readonly saved: Savings;
  readonly prices: TypedPrices;
}

function Comparison({ saved, prices }: ComparisonProps) {
  const { sent, unfolded, largest, largestUnfolded, bill, billUnfolded } = saved;
  const [cost, costUnfolded] = [sumOf(bill, prices), sumOf(billUnfolded, prices)];
  const lines: readonly (readonly [string, string, string])[] = [
    ["tokens of all prompts", count(sent), count(unfolded)],
    ["largest prompt", count(largest), count(largestUnfolded)],
    ...(cost === undefined || costUnfolded === undefined
      ? []
      : [["predicted cost", money(cost), money(costUnfolded)] as const]),
  ];
  return (
    <table>
      <thead>
        <tr>
          <th>{counted(saved.calls, "call")}</th>
          <th class="figure">as sent</th>
          <th class="figure">without folds</th>
        </tr>
      </thead>
      <tbody>
        {lines.map(([name, ...figures]) => (
          <tr key={name}>
            <td>{name}</td>
            {figures.map((figure, column) => (
              <td class="figure" key={column}>
                {figure}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** Returns the sum in the currency of the prices; undefined if a model has none. */
function sumOf(usages: readonly ModelUsage[], { of }: TypedPrices): number | undefined {
  let sum: number | undefined;
  for (const usage of usages) {
    const prices = of(usage.model);
    if (prices === undefined) return undefined;
    sum = (sum ?? 0) + costOf(usage, prices);
  }
  return sum;
}

type ConsequencesProps = Pick<SavingsProps, "window" | "calls" | "select"> & { readonly saved: Savings };

/** When the thread would have ended, and what the folds cost in cache. */
function Consequences({
  saved: { overflow, rewrites, rewritten },
  window,
  calls,
  select,
}: ConsequencesProps) {
  return (
    <p>
      {overflow !== null && window !== null && (
        <>
          Without folds, the prompt of{" "}
          <button class="link" onClick={() => select(calls.counts.findIndex((number) => number >= overflow))}>
            call {count(overflow)}
          </button>{" "}
          would not have fitted into the window of {count(window)} tokens: the thread would have ended
          there.{" "}
        </>
      )}
      {overflow === null &&
        window !== null &&
        "Without folds, each prompt would have fitted into the window. "}
      {window === null && "The window is not known: --window says when the thread would have overflowed. "}
      {rewrites > 0
        ? `${counted(rewrites, "rewrite")} of what was sent before: ${counted(rewritten, "token")} written to the cache again.`
        : "Nothing that was sent before was rewritten."}
    </p>
  );
}
