// Loaded into a measured process with --import: tells at its end what it took, on the last line of standard error.
process.on("exit", () => {
  const { user, system } = process.cpuUsage();
  const { maxRSS } = process.resourceUsage();
  process.stderr.write(`\n${JSON.stringify({ cpuMs: (user + system) / 1000, peakMb: maxRSS / 1024 })}\n`);
});
