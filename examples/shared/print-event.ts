import type { ContextEvent } from "@palimpsest/langgraph";

/** Prints what happened to the context, a line each: the log that an operator would read. */
export function printEvent(event: ContextEvent): void {
  switch (event.type) {
    case "context.fold":
      return console.log(
        `  ${event.reason}: ${event.fold.kind} ${event.fold.tokensBefore} -> ${event.fold.tokensAfter} tokens, ${event.fold.path}`,
      );
    case "context.compaction":
      return console.log(`  ${event.reason}: context ${event.tokensBefore} -> ${event.tokensAfter} tokens`);
    case "context.certificate": {
      const { atoms, kept, retrievable, lost, path } = event.certificate;
      return console.log(
        `  ${event.reason}: of ${atoms} strings that must not be lost ${kept} in sight, ${retrievable} in the file, ` +
          `${lost.length} lost, ${path}`,
      );
    }
    case "context.skip":
      return console.log(`  ${event.reason}: not compacted, ${event.message}`);
    case "context.fail":
      return console.log(`  ${event.rung} failed: ${String(event.error)}`);
  }
}
