import { talk } from "@palimpsest/context/testing";
import { expect, it } from "vitest";
import { nodeOperation } from "./node-operations.js";
import { playCase } from "./play-case.js";

const small = {
  limits: { offload: 30, userMessages: 20 },
  trigger: { fraction: 0.4 },
  keep: { fraction: 0.1 },
};
const inWindow = (contextWindow: number) => nodeOperation("compactionNode", { ...small, contextWindow });

it("a prompt with an original that came back into it is measured without the usage reported before", async () => {
  const usage_metadata = { input_tokens: 2_497, output_tokens: 7, total_tokens: 2_504 };
  const steps = [
    { more: 2, operation: inWindow(300) },
    { more: 1, operation: inWindow(2_500) },
  ];
  const played = playCase({
    thread: [talk.human("m0", "a😀a,\n".repeat(6)), Object.assign(talk.ai("m1", ""), { usage_metadata })],
    steps,
    fates: ["deaf", "kept", "throws"],
    onDisk: false,
    view: false,
    channel: true,
  });
  await expect(played).resolves.toBeUndefined();
});
