/** The style of the pages of audits and replays. A narrow window shows each row of a table as names and values. */
export const reportStyle = `
:root { color-scheme: light dark; --line: light-dark(#ddd, #333); --dim: light-dark(#666, #999);
  --ok: light-dark(#2e7d4f, #5fbf85); --warn: light-dark(#b7791f, #e0b04c); --bad: light-dark(#b3261e, #f2857d); }
body { font: 15px/1.5 system-ui, sans-serif; margin: 0; background: light-dark(#fff, #141414); color: light-dark(#1a1a1a, #e6e6e6); }
main { max-width: 68rem; margin: 0 auto; padding: 2rem 1rem 6rem; }
h1, h2, h3 { overflow-wrap: anywhere; } h1 { font-size: 1.6rem; margin: 0 0 .5rem; } h2 { margin: 2.5rem 0 .25rem; } h3 { margin: 1.5rem 0 .25rem; } h4 { margin: 1.25rem 0 .25rem; }
article h2 { font-size: 1.17rem; margin-top: 1.5rem; }
small, .lead, .about { color: var(--dim); } .about { overflow-wrap: anywhere; }
article { border: 1px solid var(--line); border-radius: 8px; padding: 0 1.25rem 1rem; margin: 1rem 0; }
table { border-collapse: collapse; width: 100%; font-variant-numeric: tabular-nums; font-size: .9rem; }
th, td { text-align: left; padding: .25rem .75rem .25rem 0; border-bottom: 1px solid var(--line); vertical-align: top; white-space: nowrap; }
thead th { font-weight: 500; color: var(--dim); } .counts tbody th { font-weight: 500; }
.text { white-space: pre-wrap; overflow-wrap: anywhere; min-width: 20rem; width: 100%; font-family: ui-monospace, monospace; font-size: .85rem; }
.figure { text-align: right; } a { color: inherit; }
.counts tbody th { max-width: 24rem; overflow: hidden; text-overflow: ellipsis; }
.bar { width: 100%; min-width: 8rem; white-space: nowrap; font-size: 0; vertical-align: middle; } .bar i { display: inline-block; height: .7rem; } .f0 { background: var(--ok); } .f1 { background: var(--warn); } .f2 { background: var(--bad); }
.lost td:first-child { color: var(--bad); font-weight: 600; } .recoverable td:first-child { color: var(--warn); font-weight: 600; } .in-sight td:first-child { color: var(--ok); }
summary { cursor: pointer; margin-top: .75rem; } pre { white-space: pre-wrap; overflow-wrap: anywhere; font-size: .85rem; }
@media (max-width: 48rem) {
  article { padding: 0 .75rem .75rem; } thead { display: none; }
  tr { display: flex; flex-wrap: wrap; gap: 0 .75rem; padding: .3rem 0; border-bottom: 1px solid var(--line); }
  th, td { border: 0; padding: 0; white-space: normal; text-align: left; } td:empty { display: none; }
  tbody th, .text, .bar { flex-basis: 100%; min-width: 0; width: auto; }
  td[data-name]::before { content: attr(data-name) " "; color: var(--dim); font-weight: 400; }
}
`;
