/** Returns a file as the processes of the tests take it in: with one word that no other has. Pure. */
export function fileOf(thread: string, name: string, at: number) {
  const lines = Array.from({ length: 30 }, (_, line) => `line ${line} of ${name} ${at % 5}`);
  const text = [...lines, `zebra${name}x${at}`].join("\n");
  return { thread, path: `/context/results/${name}-${at}.txt`, kind: "results", text };
}
