import { randomInt } from "node:crypto";

const steps = 1_000_000;

/**
 * Returns the next version of a channel: the next whole number and a random fraction. Two branches of a fork count up from
 * the same version, and a saver that keeps values by version would mix them up.
 */
export function nextVersion(current: number | undefined): number {
  return Math.floor(current ?? 0) + 1 + randomInt(1, steps) / steps;
}
