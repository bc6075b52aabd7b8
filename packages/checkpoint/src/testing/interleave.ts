import type { FileDriver } from "@palimpsest/vfs";

const verbs = ["stat", "read", "write", "delete"] as const;

/**
 * Does `work` while something else happens before one of its calls to the driver for the
 * contents of files, the one with this number.
 * Returns how many calls it made: the something happened when the number is not larger.
 */
export async function interleave(
  driver: FileDriver,
  work: () => Promise<unknown>,
  { before, meanwhile }: { readonly before: number; readonly meanwhile: () => Promise<unknown> },
): Promise<number> {
  let calls = 0;
  let isElsewhere = false;
  for (const verb of verbs) {
    const call = driver[verb].bind(driver) as (...args: readonly unknown[]) => Promise<unknown>;
    const counted = async (...args: readonly unknown[]): Promise<unknown> => {
      const isOfFiles = /^\/(?:blobs|holds)\//.test(String(args[0]));
      if (isOfFiles && !isElsewhere && ++calls === before) {
        isElsewhere = true;
        await meanwhile();
        isElsewhere = false;
      }
      return call(...args);
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
