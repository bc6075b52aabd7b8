import { type ContextEvent } from "@palimpsest/langgraph";
import { type Colors } from "./colors.js";
import { grouped } from "./format.js";

const marks = { offload: "⇲", input: "✎", stale: "↺", mask: "▒", summary: "Σ", trim: "✂" } as const;

/** Returns the line for an event of the context, or undefined when there is nothing to tell. Pure. */
export function contextLine(event: ContextEvent, colors: Colors): string | undefined {
  switch (event.type) {
    case "context.fold": {
      const { kind, tokensBefore, tokensAfter, path } = event.fold;
      const mark = kind in marks ? marks[kind as keyof typeof marks] : "·";
      const sizes = `${grouped(tokensBefore).padStart(7)} → ${grouped(tokensAfter).padEnd(5)}`;
      return `  ${colors.green(`${mark} ${kind.padEnd(8)}`)} ${sizes} ${path} ${colors.dim(`(${event.reason})`)}`;
    }
    case "context.compaction": {
      const sizes = `${grouped(event.tokensBefore)} → ${grouped(event.tokensAfter)} tokens`;
      return colors.bold(`  ⤓ compaction ${sizes} ${colors.dim(`(${event.reason})`)}`);
    }
    case "context.certificate": {
      const { atoms, kept, retrievable, lost, path } = event.certificate;
      const found = `${grouped(atoms)} to keep: ${grouped(kept)} in the context, ${grouped(retrievable)} in the file, ${lost.length} lost`;
      return `  ${colors.green("✓ certified")} ${found} ${colors.dim(path)}`;
    }
    case "context.skip":
      return colors.dim(`  – no compaction (${event.due}): ${event.message}`);
    case "context.fail":
      return colors.red(`  ! ${event.rung} failed: ${String(event.error)}`);
    default:
      return undefined;
  }
}
