import type { FileDriver } from "@palimpsest/vfs";
import { AsyncLocalStorage } from "node:async_hooks";

const verbs = ["stat", "read", "write", "delete"] as const;

/**
 * Runs `work`, and `meanwhile` as a whole before the `before`-th call that `work` makes to the driver for the contents of
 * files. Other calls of `work` wait until `meanwhile` is done, also where it makes several at the same time: with a grace of
 * nothing, a collection must not delete between the calls of a step.
 *
 * Returns how many calls `work` made: `meanwhile` ran when `before` is not larger.
 */
export async function interleave(
  driver: FileDriver,
  work: () => Promise<unknown>,
  { before, meanwhile }: { readonly before: number; readonly meanwhile: () => Promise<unknown> },
): Promise<number> {
  const isMeanwhile = new AsyncLocalStorage<boolean>();
  const underWay = new Set<Promise<unknown>>();
  let calls = 0;
  let elsewhere: Promise<unknown> = Promise.resolve();
  for (const verb of verbs) {
    const call = driver[verb].bind(driver) as (...args: readonly unknown[]) => Promise<unknown>;
    const counted = async (...args: readonly unknown[]): Promise<unknown> => {
      const isOfFiles = /^\/(?:blobs|holds)\//.test(String(args[0]));
      if (!isOfFiles || isMeanwhile.getStore()) return call(...args);
      if (++calls === before) {
        elsewhere = Promise.all(underWay).then(async () => isMeanwhile.run(true, meanwhile));
      }
      for (let awaited; awaited !== elsewhere;) {
        awaited = elsewhere;
        await awaited;
      }
      const called = call(...args);
      underWay.add(called);
      return called.finally(() => underWay.delete(called));
    };
    Object.assign(driver, { [verb]: counted });
  }
  try {
    await work();
  } finally {
    for (const verb of verbs) Reflect.deleteProperty(driver, verb);
  }
  return calls;
}
