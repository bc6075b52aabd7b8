import type { ContextEvent } from "@palimpsest/langgraph";

/** Prints what happened to the context, a line each: the log that an operator would read. */
export function printEvent(event: ContextEvent): void {
  switch (event.type) {
    case "context.fold":
      return console.log(
        `  ${event.reason}: ${event.fold.kind} ${event.fold.tokensBefore} -> ${event.fold.tokensAfter} tokens, ${event.fold.path}`,
      );
    case "context.compaction": {
      const { bill } = event;
      const billed =
        bill === undefined ? "" : `, ${money(bill.cost)} for ${money(bill.savingPerStep)} a step`;
      const last = bill?.last;
      const audit =
        last === undefined
          ? ""
          : `; the last one cost ${money(last.cost)} and has saved ${money(last.saved)} in ${last.steps} steps`;
      return console.log(
        `  ${event.reason}: context ${event.tokensBefore} -> ${event.tokensAfter} tokens${billed}${audit}`,
      );
    }
    case "context.certificate": {
      const { atoms, kept, retrievable, lost, path } = event.certificate;
      return console.log(
        `  ${event.reason}: of ${atoms} strings that must not be lost ${kept} in the context, ${retrievable} in the file, ` +
          `${lost.length} lost, ${path}`,
      );
    }
    case "context.skip":
      return console.log(`  ${event.due}: not compacted, ${event.message}`);
    case "context.fail":
      return console.log(`  ${event.rung} failed: ${String(event.error)}`);
  }
}

/** Prices are for a million tokens: this is in the unit of one. */
function money(amount: number): string {
  return Math.round(amount * 1e6).toLocaleString("en");
}
