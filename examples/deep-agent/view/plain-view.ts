import { contextLine } from "./event-lines.js";
import { grouped } from "./format.js";
import { replyLine } from "./reply-line.js";
import { type View, type ViewOptions } from "./view.js";

/** Returns a view that writes one line for everything that happens: for logs, pipes and CI. */
export function plainView({ stream, colors, window, mainThread }: ViewOptions): View {
  let step = "";
  const write = (line: string): void => void stream.write(`${line}\n`);
  return {
    colors,
    watch(event) {
      if (event.type === "prompt" && event.threadId === mainThread)
        step = `call ${event.step}, ${grouped(event.parts.total)} of ${grouped(window)} tokens`;
      if (event.type === "reply") {
        const who = event.threadId === mainThread ? step : "  subagent";
        write(`${who}: ${replyLine(event.text, event.tools)}`);
      }
      if (event.type === "phase") write(event.text);
      const line = event.type === "context" ? contextLine(event.event, colors) : undefined;
      if (line !== undefined) write(line);
    },
    print: (lines) => lines.forEach(write),
    end: () => undefined,
  };
}
