/** The style sheet of the page. Light by default, dark when the system or the reader asks for it. */
export const pageStyle = `
:root { color-scheme: light dark;
  --paper: light-dark(#fbfaf7, #171614); --card: light-dark(#ffffff, #201f1c); --ink: light-dark(#1d1c1a, #ece9e2);
  --ink-2: light-dark(#55524c, #b5b0a5); --muted: light-dark(#8b877e, #8f8a7f); --line: light-dark(#e3dfd6, #37342f);
  --soft: light-dark(#f3f0e9, #292723); --good: light-dark(#17713f, #6fcf97); --good-soft: light-dark(#e3f3e9, #1c3527);
  --even: light-dark(#6b6558, #b5b0a5); --even-soft: light-dark(#efece4, #2d2b27);
  --bad: light-dark(#b3261e, #ff8a80); --bad-soft: light-dark(#fbe9e7, #42211f); }
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1240px; margin: 0 auto; padding: 28px 24px 80px; }
header { display: flex; gap: 16px; align-items: flex-start; justify-content: space-between; }
h1 { font-size: 28px; margin: 0 0 4px; letter-spacing: -0.01em; } h2 { font-size: 21px; margin: 0; }
h3 { font-size: 15px; margin: 0 0 8px; } p { margin: 0 0 8px; max-width: 85ch; }
.lead { color: var(--ink-2); } .small { color: var(--ink-2); font-size: 13px; }
button { font: inherit; font-size: 13px; color: var(--ink); background: var(--card); border: 1px solid var(--line); border-radius: 6px;
  padding: 5px 12px; cursor: pointer; white-space: nowrap; }
nav { display: flex; flex-wrap: wrap; gap: 6px; margin: 22px 0 0; }
nav a { padding: 3px 11px; border: 1px solid var(--line); border-radius: 99px; background: var(--card); color: var(--ink); text-decoration: none; font-size: 13px; }
section { margin-top: 44px; } section > header { border-bottom: 1px solid var(--line); padding-bottom: 8px; margin-bottom: 14px; }
.counts { display: grid; grid-template-columns: repeat(3, 1fr); gap: 12px; margin: 20px 0 16px; }
.count { border-radius: 10px; padding: 12px 16px; } .count b { font-size: 30px; line-height: 1.1; display: block; }
.ahead { color: var(--good); background: var(--good-soft); } .level { color: var(--even); background: var(--even-soft); }
.behind { color: var(--bad); background: var(--bad-soft); }
.mark { display: inline-block; border-radius: 5px; padding: 1px 8px; font-size: 13px; font-weight: 600; white-space: nowrap; }
.scroll { overflow-x: auto; border: 1px solid var(--line); border-radius: 8px; background: var(--card); }
table { border-collapse: collapse; width: 100%; font-size: 13.5px; }
th, td { text-align: left; padding: 6px 12px; border-bottom: 1px solid var(--line); vertical-align: top; }
tr:last-child td { border-bottom: 0; } th { color: var(--ink-2); font-weight: 600; background: var(--soft); font-size: 12.5px; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
table.verdict th:first-child, table.verdict td:first-child { width: 104px; } table.verdict th:nth-child(2) { width: 44%; }
table.verdict a { color: inherit; font-weight: 600; text-decoration: none; border-bottom: 1px dotted var(--muted); }
a { color: inherit; }
tr.ours td { background: var(--good-soft); } tr.ours td:first-child { font-weight: 600; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(480px, 100%), 1fr)); gap: 18px; margin: 16px 0; }
.figure { margin: 0; padding: 14px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); max-width: 720px; }
.figure figure { margin: 0; } .figure figure > svg { width: 100%; height: auto; display: block; overflow: visible; }
.table { margin-top: 20px; } .table > .small { margin-top: 6px; } details > summary { cursor: pointer; font-weight: 600; margin-bottom: 8px; }
@media (max-width: 640px) { .counts { gap: 6px; } .count { padding: 10px; }
  .verdict thead { display: none; } .verdict tr { display: block; border-bottom: 1px solid var(--line); padding: 6px 0; }
  .verdict td { display: flex; justify-content: space-between; gap: 16px; border: 0; padding: 3px 12px; text-align: right; }
  .verdict td:nth-child(2) { display: block; text-align: left; } .verdict td[data-label]::before { content: attr(data-label); color: var(--ink-2); }
  header { flex-direction: column; } main { padding: 16px 12px 60px; } }
@media print { button, nav { display: none; } }
`;

/** What the button of the page does. */
export const pageScript = `
const { style } = document.documentElement;
const asked = new URLSearchParams(location.search).get("theme");
if (asked === "dark" || asked === "light") style.colorScheme = asked;
document.querySelector("#theme").addEventListener("click", () => {
  const isDark = style.colorScheme ? style.colorScheme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  style.colorScheme = isDark ? "light" : "dark";
});
`;
