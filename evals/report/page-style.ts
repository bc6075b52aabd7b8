/** The style sheet of the page. Light by default, dark when the system or the reader asks for it. */
export const pageStyle = `
:root { color-scheme: light;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1d1c1a; --ink-2: #55524c; --muted: #8b877e; --line: #e3dfd6; --soft: #f3f0e9;
  --good: #17713f; --good-soft: #e3f3e9; --even: #6b6558; --even-soft: #efece4; --bad: #b3261e; --bad-soft: #fbe9e7;
  --s-green: #1a8a4c; --s-teal: #0e7490; --s-lime: #6a9a1f; --s-mint: #47b896; --s-orange: #d9730d; --s-red: #c93a3a;
  --s-blue: #3468c0; --s-purple: #7d4fb5; --s-brown: #8a5a3c; --s-pink: #c2528b; --s-sky: #4a9fd1; --s-olive: #94892a; }
@media (prefers-color-scheme: dark) { :root:not([data-theme="light"]) { color-scheme: dark;
  --paper: #171614; --card: #201f1c; --ink: #ece9e2; --ink-2: #b5b0a5; --muted: #8f8a7f; --line: #37342f; --soft: #292723;
  --good: #6fcf97; --good-soft: #1c3527; --even: #b5b0a5; --even-soft: #2d2b27; --bad: #ff8a80; --bad-soft: #42211f;
  --s-green: #4cc38a; --s-teal: #4fb8d3; --s-lime: #a8d05f; --s-mint: #7fe0c0; --s-orange: #f5a04c; --s-red: #f47f7f;
  --s-blue: #82aaf5; --s-purple: #b992ec; --s-brown: #c99a78; --s-pink: #ec8dbd; --s-sky: #86cdf3; --s-olive: #d3c65a; } }
:root[data-theme="dark"] { color-scheme: dark;
  --paper: #171614; --card: #201f1c; --ink: #ece9e2; --ink-2: #b5b0a5; --muted: #8f8a7f; --line: #37342f; --soft: #292723;
  --good: #6fcf97; --good-soft: #1c3527; --even: #b5b0a5; --even-soft: #2d2b27; --bad: #ff8a80; --bad-soft: #42211f;
  --s-green: #4cc38a; --s-teal: #4fb8d3; --s-lime: #a8d05f; --s-mint: #7fe0c0; --s-orange: #f5a04c; --s-red: #f47f7f;
  --s-blue: #82aaf5; --s-purple: #b992ec; --s-brown: #c99a78; --s-pink: #ec8dbd; --s-sky: #86cdf3; --s-olive: #d3c65a; }
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
figure { margin: 0; padding: 14px 16px; border: 1px solid var(--line); border-radius: 10px; background: var(--card); max-width: 720px; }
figure svg { width: 100%; height: auto; display: block; overflow: visible; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; margin: 8px 0 0; padding: 0; list-style: none; font-size: 12.5px; color: var(--ink-2); }
.legend svg { width: 26px; height: 8px; display: inline-block; vertical-align: middle; margin-right: 6px; }
figcaption { margin-top: 8px; font-size: 12.5px; color: var(--ink-2); }
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
const root = document.documentElement;
document.querySelector("#theme").addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
});
const asked = new URLSearchParams(location.search).get("theme");
if (asked === "dark" || asked === "light") root.dataset.theme = asked;
`;
