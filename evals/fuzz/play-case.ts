import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BaseMessage } from "@langchain/core/messages";
import { messageImage } from "@palimpsest/context/testing";
import { DirectoryDriver, VirtualFilesystem } from "@palimpsest/vfs";
import { checkLaws } from "./check-laws.js";
import type { FuzzCase } from "./fuzz-case.js";
import { ReasoningRecord } from "./reasoning-record.js";
import { contextOf, type FuzzState, type FuzzWorld, type Operation } from "./operation.js";
import { UnsteadyDriver } from "../live/unsteady-driver.js";

/** Grows the thread of a case, applies its operations, and throws at the first broken law. */
export async function playCase({ thread, steps, fates, onDisk, view, channel }: FuzzCase): Promise<void> {
  const root = onDisk ? mkdtempSync(join(tmpdir(), "fuzz-")) : undefined;
  const driver =
    root === undefined
      ? new UnsteadyDriver((write) => fates[write % fates.length] ?? "kept")
      : new DirectoryDriver(root);
  const world = { files: new VirtualFilesystem({ driver }), threadId: "t", view, channel };
  const images = thread.map(messageImage);
  const reasoning = new ReasoningRecord();
  try {
    let state: FuzzState = { messages: [], ...(channel ? { compaction: {} } : {}) };
    let at = 0;
    for (const [index, { more, operation }] of steps.entries()) {
      const known = contextOf(state, world).length;
      state = { ...state, messages: [...state.messages, ...thread.slice(at, at + more)] };
      if (view) state = { ...state, context: [...(state.context ?? []), ...thread.slice(at, at + more)] };
      reasoning.record(contextOf(state, world), known);
      at = Math.min(thread.length, at + more);
      const again = index === steps.length - 1 && fates.every((fate) => fate === "kept");
      state = await step(state, { operation, world, thread: thread.slice(0, at), images, again, reasoning });
    }
    const changed = thread.findIndex((message, index) => messageImage(message) !== images[index]);
    if (changed >= 0)
      throw new Error(
        `${steps.map(({ operation }) => operation.name).join("\n")}\nlaw 8: message ${changed} was changed in place`,
      );
  } finally {
    if (root !== undefined) rmSync(root, { recursive: true, force: true });
  }
}

interface Playing {
  readonly operation: Operation;
  readonly world: FuzzWorld;
  readonly thread: readonly BaseMessage[];
  readonly images: readonly string[];
  readonly reasoning: ReasoningRecord;
  /** Does the same to the same state once more. */
  readonly again: boolean;
}

async function step(state: FuzzState, { operation, world, again, ...playing }: Playing): Promise<FuzzState> {
  const before = contextOf(state, world);
  const next = await survive(operation, state, world);
  const broken = [...(await checkLaws({ ...playing, before, state: next, world }))];
  if (again) {
    const second = contextOf(await survive(operation, state, world), world).map(messageImage);
    const first = contextOf(next, world).map(messageImage);
    if (first.join("\n") !== second.join("\n")) broken.push("law 8: the same input gave another context");
  }
  if (broken.length > 0) throw new Error(`${operation.name}\n${broken.join("\n")}`);
  return next;
}

async function survive(operation: Operation, state: FuzzState, world: FuzzWorld): Promise<FuzzState> {
  try {
    return await operation.run(state, world);
  } catch (cause) {
    throw new Error(`law 5: ${operation.name} threw ${String(cause)}`, { cause });
  }
}
