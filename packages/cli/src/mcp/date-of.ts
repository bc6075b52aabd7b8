import type { BaseMessage } from "@langchain/core/messages";

const months = "January February March April May June July August September October November December".split(
  " ",
);

/** Larger numbers are milliseconds. */
const mostSeconds = 1e11;

/** Returns the day of a message of a session in UTC, as it is said: `8 May 2023`. Empty if the session does not state it. Pure. */
export function dateOf(message: BaseMessage | undefined): string {
  const time: unknown = message?.response_metadata?.["timestamp"];
  const stated = typeof time === "number" && time < mostSeconds ? time * 1_000 : time;
  const date = new Date(typeof stated === "string" || typeof stated === "number" ? stated : Number.NaN);
  if (Number.isNaN(date.getTime())) return "";
  return `${date.getUTCDate()} ${months[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}
