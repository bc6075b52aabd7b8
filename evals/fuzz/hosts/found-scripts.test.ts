import * as fc from "fast-check";
import { expect, it } from "vitest";
import { parseScript } from "./parse-script.js";
import { playTwice } from "./run-hosts.js";
import { describeScript, scriptArbitrary, type Settings } from "./script.js";
import { strategies, type Strategy } from "./strategies.js";

it("a script is read from its description", () => {
  fc.assert(
    fc.property(scriptArbitrary, (script) => {
      expect(parseScript(describeScript(script))).toEqual(script);
    }),
    { numRuns: 100 },
  );
});

/** The first line of a script's description, what differs from a plain one given. */
function settings(window: number, given: Partial<Settings> = {}): string {
  const plain = { pins: "none", hasSystem: false, reportsUsage: false, summaries: "extracted" };
  return JSON.stringify({ ...plain, window, ...given });
}

/** What the random scripts have found, the strategy first. */
const found: Readonly<Record<string, readonly [string, string]>> = {
  "an event tells the size of a prompt over the window, though the host has removed messages before it": [
    "compactionNode with a planner",
    `${settings(3_000, { reportsUsage: true, pins: "user" })}
    0: turn small | answer
    1: insert 174
    2: remove 538
    3: turn medium | think answer
    4: remove 4
    5: remove 305
    6: turn small | call medium+small+medium; think call small+medium; answer
    7: turn huge | call medium+small; call medium+large+medium; think call small+large+small; think call small+medium; think call medium+medium+small; answer
    8: remove 274`,
  ],
  "a user message stays between two pinned turns of the model, whose other messages blocks replace": [
    "foldNode",
    `${settings(1_500, { pins: "mark" })}
    0: turn small | think call medium+small+small; think call medium+medium; think call small+medium; think call medium; answer
    1: turn small | call small+medium+medium; answer
    2: turn small | think call medium; answer
    3: insert 736
    4: remove 875
    5: turn medium | think call small+medium+medium; think call medium+small+small; think call medium; call large; think answer
    6: remove 482
    7: turn medium | call small+small; think call medium; think call medium+large; think call small+small+small; answer
    8: remove 188
    9: turn medium | think call medium; think call medium+medium; call small+large; call medium+small; call small+medium+small; think answer
    10: edit 494
    11: turn medium | call medium+small; think call medium; call medium+medium; think call large+large; think answer overflow`,
  ],
  "the original that a client sends in place of a short form is measured, whatever the last report counted": [
    "withCompaction",
    `${settings(1_500, { reportsUsage: true })}
    0: turn large | think call medium+small overflow; call small+small+small; think call small down; call large overflow; think call medium; answer
    1: turn medium | call medium+medium+small; call small+small; answer
    2: turn medium | answer
    3: turn small resend | call small; think answer
    4: turn small | think answer
    5: fork 386
    6: turn small | think call medium+large+medium; call medium+small; call medium+small; answer`,
  ],
  "a block that held its originals gives way to a newer one, though the host has removed what stayed beside it":
    [
      "contextMiddleware of a nested agent",
      `${settings(1_500)}
    0: turn medium | answer
    1: turn medium | call small+medium+small overflow; think call large+medium; think call medium+small+medium; answer
    2: insert 770
    3: turn large | call small+small; call small; think answer
    4: edit 51
    5: turn large pause | call medium+small+medium; think call medium+medium; call medium+medium+large; answer
    6: turn small outage | think call large+small+small; call medium+small; call large+medium; think call large; think answer
    7: edit 925
    8: remove 263
    9: remove 440
    10: edit 468
    11: remove 546
    12: turn small | call small; think call large+medium+large; call medium+medium+small; call large+small+small; think call small+medium; think answer`,
    ],
  "a message that a host inserts between two that stay beside a block keeps its place in the list of a graph":
    [
      "contextMiddleware of a nested agent",
      `${settings(3_000, { hasSystem: true, pins: "files", summaries: "written" })}
    0: turn medium pause | think answer down
    1: turn huge resend | think call medium+medium; call small+small+small; think call large+small; think call small+small+medium; think answer
    2: turn medium resend | think call large; think call medium; think call medium+small+medium; think call medium+large+small; answer
    3: edit 162
    4: turn large | call large; think call medium+medium+medium; think call large+small+medium; call large; think answer overflow
    5: turn small | call medium; call medium+medium; answer
    6: insert 8`,
    ],
  "what is opened again to stay beside a newer block keeps its place in the list of a graph": [
    "contextMiddleware of a nested agent",
    `${settings(1_500, { reportsUsage: true, pins: "files" })}
    0: turn small | think answer
    1: turn medium | answer
    2: turn medium | think call medium+medium; call large+small+large overflow; think call large; think answer
    3: turn small | call small; think call medium+large+large; call medium down; answer
    4: turn medium | call small+large+large; think answer
    5: turn medium outage | call large+medium; call small; call small+small; call large+large+small overflow; call large+medium; think answer
    6: turn medium | think answer
    7: turn small | call small+large; call medium; call small+small+medium; call large+small+medium; think answer
    8: turn medium | call medium; call large; think call medium; think answer
    9: edit 101
    10: fork 229`,
  ],
  "a provider that counts less than our count of the tools shows no prompt over the window as smaller": [
    "foldMiddleware",
    `${settings(1_500, { reportsUsage: true })}
    0: turn medium | call small; think call small; think call medium; answer
    1: fork 567
    2: turn medium | think call medium+small+small; think call medium+large; call small+medium; think answer`,
  ],
  "a summary stands where its messages were, though a client has sent what is folded inside it again": [
    "contextMiddleware of a nested agent",
    `${settings(3_000)}
    0: turn medium | call small; call medium+large; think call medium+medium+medium; call small+medium+large; think call large; think answer
    1: turn small resend | call small+medium+large; call small; think answer
    2: turn medium | think call medium+small+large; call small+large down; think call small+medium+large; call small+medium+large; call medium+medium; think answer
    3: remove 20`,
  ],
  "an older short form of what a summary covers is a copy, and so is a block of nothing else": [
    "contextMiddleware of a nested agent with its own memory",
    `${settings(1_500)}
    0: turn medium | answer
    1: turn medium outage pause | call large+medium; call medium; call medium; think call medium+small+large; think answer
    2: remove 495
    3: edit 110
    4: turn large | answer
    5: edit 850
    6: turn large | call medium+small; call medium; think call medium; think answer
    7: turn small resend | call small+large; think answer
    8: turn large | think call small+medium+small; think call large; think call small+small; answer`,
  ],
  "an older block that holds its originals is a copy of what a newer one covers": [
    "contextMiddleware of a nested agent with its own memory",
    `${settings(1_500)}
    0: turn small | answer
    1: turn medium outage | call medium+large; call medium+small; call small+large; think answer
    2: turn huge outage | think call small+medium; think answer
    3: fork 850
    4: turn small | think answer
    5: turn small resend | think call medium; call medium+large; call medium+medium; call large+large+medium; think call medium+small+medium; think answer
    6: turn medium | call small+small; answer
    7: fork 653`,
  ],
  "a process that has seen the reasoning of a reply sends what a new one sends": [
    "predictiveContextNode",
    `${settings(1_500)}
    0: turn medium | call large; think call large; answer down
    1: turn medium | answer
    2: edit 0`,
  ],
  "a process that has met a reply without its reasoning sends what a new one sends": [
    "predictiveContextNode",
    `${settings(1_500)}
    0: turn small | think answer
    1: edit 0
    2: turn medium | think call medium; answer
    3: turn medium | think call medium; answer`,
  ],
  "a copy of a result that an overflow has shortened is left out": [
    "predictiveContextNode",
    `${settings(1_500)}
    0: turn small | call medium; call medium overflow; answer
    1: turn medium | call large+small down; answer down
    2: turn huge resend | answer`,
  ],
  "a copy of what an overflow has folded is left out": [
    "predictiveContextNode",
    `${settings(1_500)}
    0: turn medium | answer
    1: turn small | call large overflow; answer
    2: turn medium | answer
    3: turn large resend | answer`,
  ],
  "a fork of a thread that an overflow has folded takes the history again": [
    "predictiveContextNode",
    `${settings(3_000)}
    0: turn small | call small; call small; call medium overflow; answer
    1: turn small | think call medium; call medium+medium; answer
    2: fork 129
    3: turn small resend | answer`,
  ],
  "new results that the record of earlier steps shows stay there when the prompt is refused": [
    "predictiveContextNode",
    `${settings(1_500)}
    0: turn huge | answer
    1: turn large | call large; answer overflow
    2: turn small | answer`,
  ],
  "the user's newest message is none that stands for others": [
    "predictiveContextNode",
    `${settings(1_500)}
    0: turn medium | answer
    1: turn medium | call medium down; call medium+small+small overflow; answer
    2: turn huge | answer`,
  ],
  "a message that has left the thread does not come back with the summary beside which it stood": [
    "predictiveContextNode",
    `${settings(1_500)}
    0: turn medium | answer
    1: turn medium | call medium down; call medium+small+small overflow; answer
    2: remove 0
    3: turn huge | answer`,
  ],
  "a shortened message that has left the thread does not come back": [
    "predictiveContextNode",
    `${settings(3_000, { hasSystem: true })}
    0: turn large | call medium; think call medium; answer overflow
    1: turn medium | call medium; answer
    2: turn small | call large; answer
    3: remove 0`,
  ],
  "an edit behind reasoning that was the first after all of it was folded is noticed": [
    "compactionNode",
    `${settings(3_000)}
    0: turn medium | answer
    1: turn medium | think call small+medium down; call small+small+medium; think call large; think call medium+medium; think answer
    2: turn medium | call small+medium+small; call medium+medium+small; call small+small+small; call small; think call small+small; answer
    3: turn medium | think call medium+medium+large; think call small+small+medium; call large; think call large+small+medium; answer
    4: edit 947
    5: turn small | call small+medium+medium; think call medium+small+large; call large+small+large; think answer
    6: edit 932
    7: turn medium | answer`,
  ],
  "a message that has left the thread does not come back with the blocks that are merged after it": [
    "foldMiddleware",
    `${settings(1_500, { reportsUsage: true })}
    0: turn medium pause | answer
    1: insert 352
    2: turn medium | call large+large; think call medium+small; call large+medium+medium overflow; think answer
    3: remove 656
    4: turn large | think call medium; think call small; answer
    5: turn medium | think answer
    6: turn small | call small; call small+small; call medium+medium; think call medium+medium+medium; answer
    7: turn huge | think answer
    8: remove 596
    9: turn large | think call medium+large+small; think call small+large; call small; think call small; answer`,
  ],
  "what an agent inside a graph holds comes back in order, beside the originals that the graph keeps": [
    "contextMiddleware of a nested agent",
    `${settings(1_500)}
    0: turn small | answer down
    1: turn small pause | call medium; think call medium; think call medium; answer
    2: turn small outage pause | call small; think call small; call medium down; think call small+small; think call small+medium; think answer
    3: turn large | call small+small; call medium; answer`,
  ],
  "history that a client sends again after a removal is selected from at once, whatever interval runs": [
    "predictiveContextNode",
    `${settings(3_000)}
    0: turn large pause | call medium+small; think call medium; answer
    1: remove 630
    2: turn medium resend pause | think answer`,
  ],
  "an edit is noticed after a selection that folded all that showed that the model reasons": [
    "predictiveContextNode",
    `${settings(1_500, { hasSystem: true })}
    0: turn medium | think answer
    1: turn medium pause | call medium+large+medium; call medium+small+small down; call large+small+small; think call medium overflow; think answer
    2: fork 370
    3: turn huge | call small overflow; think answer
    4: edit 790
    5: turn medium pause | answer`,
  ],
  "a stand-in stays before a pinned call where the host has removed every user message before it": [
    "foldNode",
    `${settings(1_500, { pins: "files" })}
    0: turn medium outage | answer
    1: turn small outage | call large+large; think call medium+medium+small; think call small+small+medium; think answer
    2: remove 10
    3: remove 0
    4: turn small | call small overflow; answer`,
  ],
  "a pinned call begins a prompt only where the thread has no user message before it": [
    "foldNode",
    `${settings(1_500, { pins: "files" })}
    0: turn medium outage | answer
    1: turn small outage | call large+large; think call medium+medium+small; think call small+small+medium; think answer
    2: remove 10
    3: turn small | think call medium+medium; call small+small; call large; answer down
    4: turn huge pause | think answer
    5: fork 399
    6: turn medium resend | think call large+small+small; call large+medium+large; think call large+small; call medium overflow; call small; answer down
    7: turn small | think call small+medium+large; call large+large; call medium+medium+small; answer
    8: remove 720
    9: turn large | think call small+large; answer`,
  ],
  "an agent inside a graph with its channels drops the reasoning behind an edit": [
    "contextMiddleware of a nested agent",
    `${settings(1_500)}
    0: turn medium | think call medium; think answer
    1: edit 0
    2: turn small | think answer`,
  ],
  "a message that the host has inserted stays behind one that the host has removed since": [
    "compactionNode",
    `${settings(1_500, { pins: "mark" })}
    0: turn medium | answer
    1: turn large | think call large+large+large; think call large+large; call medium+small+medium; think call medium+medium; think call medium; answer
    2: turn medium | call large; call small+small; call medium+medium+medium; answer
    3: turn large resend | think call medium; think call small+small+small; think call small; think call small+small+small; answer
    4: remove 438
    5: turn small | think answer
    6: insert 713
    7: turn small | think answer
    8: remove 522
    9: turn huge | think call medium+small; think call small; call small+large; call medium+medium; answer
    10: turn large outage | call medium; answer`,
  ],
  "an older read of a pinned file that had no room stays folded where the host removes the newest": [
    "compactionNode with a planner",
    `${settings(1_500, { pins: "files" })}
    0: turn medium resend | call medium+small+medium; call small; think answer
    1: turn huge | think call small+medium; think call medium+medium; call small; think call medium+medium+medium; think answer
    2: turn small | think call medium; think call medium+medium; think call medium down; answer
    3: turn small | think call small+medium; think call small+medium; answer
    4: remove 206
    5: turn medium | call medium+large; think answer
    6: turn medium | think call small+small+large; call small+medium; call medium+medium+medium; call medium; call medium+small+small down; think answer`,
  ],
};

it.each(Object.entries(found))("%s", async (_, [name, text]) => {
  const strategy = strategies.find((one) => one.name === name) as Strategy;
  expect(await playTwice(parseScript(text), strategy)).toBeGreaterThan(0);
});
