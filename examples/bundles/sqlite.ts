// A SQLite file from inside a bundle: its driver is native and stays outside, in node_modules.
import { VfsSaver } from "@palimpsest/checkpoint";

try {
  VfsSaver.fromPath("agent.db");
  console.log(JSON.stringify({ isOpen: true }));
} catch (error) {
  const { code, message } = error as { readonly code?: unknown; readonly message: string };
  console.log(JSON.stringify({ code, message }));
}
