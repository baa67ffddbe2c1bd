/** The page's style: light and dark by the reader's choice, a narrow and a wide layout, and paper. */
export const style = `
:root {
  --paper: #fdfcfa; --card: #ffffff; --ink: #1d2125; --muted: #646c76; --line: #d9d6d0; --accent: #1f5fc4;
  --good: #14743a; --good-back: #e2f3e7; --bad: #b3261e; --bad-back: #fbe6e3;
  --c1: #2563c9; --c2: #d2571c; --c3: #0d8a6c; --c4: #8a4bc6; --c5: #a67c00; --c6: #c0357e; --c7: #5a6a7a; --c8: #2a8aa5;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #14171a; --card: #1b1f24; --ink: #e9e7e3; --muted: #9aa4af; --line: #363c44; --accent: #82b1ff;
    --good: #74d99a; --good-back: #173524; --bad: #ff9d92; --bad-back: #43201d;
    --c1: #75a9ff; --c2: #ff9a5e; --c3: #4fcfa6; --c4: #c59bff; --c5: #e3bd4a; --c6: #ff86ba; --c7: #a9b6c3; --c8: #74c8de;
  }
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; scroll-behavior: smooth; }
body {
  margin: 0 auto; max-width: 820px; padding: 40px 24px 80px; background: var(--paper); color: var(--ink);
  font: 16px/1.6 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
h1 { font-size: clamp(1.9rem, 6vw, 2.75rem); line-height: 1.12; letter-spacing: -0.02em; margin: 0 0 12px; }
h2 { font-size: 1.45rem; line-height: 1.25; letter-spacing: -0.01em; margin: 0 0 8px; }
p { margin: 0 0 12px; max-width: 68ch; overflow-wrap: break-word; }
a { color: var(--accent); text-underline-offset: 0.2em; }
code { font: 0.92em ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
.kicker { text-transform: uppercase; letter-spacing: 0.12em; font-size: 0.75rem; color: var(--muted); margin: 0 0 8px; }
.lead { font-size: 1.1rem; color: var(--muted); }
dl { margin: 0; } dd { margin: 0; }
.facts { display: grid; grid-template-columns: repeat(4, 1fr); gap: 1px; background: var(--line); border: 1px solid var(--line); border-radius: 12px; overflow: hidden; margin: 24px 0 0; }
.facts div { background: var(--card); padding: 14px 16px; display: flex; flex-direction: column-reverse; }
.facts dd { font-size: 1.6rem; font-weight: 650; line-height: 1.2; font-variant-numeric: tabular-nums; }
.facts dt { font-size: 0.8rem; color: var(--muted); }
nav { margin: 24px 0 0; font-size: 0.92rem; }
nav ol { list-style: none; margin: 0; padding: 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
section { margin-top: 56px; scroll-margin-top: 16px; }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: 4px 18px; margin: 16px 0 0; padding: 0; font-size: 0.9rem; }
.legend li { display: flex; align-items: center; gap: 8px; }
.targets { list-style: none; margin: 16px 0 0; padding: 0; display: grid; grid-template-columns: repeat(2, 1fr); gap: 12px; }
.targets li { background: var(--card); border: 1px solid var(--line); border-radius: 12px; padding: 14px 16px; display: grid; grid-template-columns: 1fr auto; gap: 2px 12px; align-content: space-between; break-inside: avoid; }
.targets p { margin: 0; }
.what { grid-column: 1 / -1; font-size: 0.9rem; line-height: 1.4; }
.value { font-size: 1.5rem; font-weight: 650; line-height: 1.3; font-variant-numeric: tabular-nums; }
.aim { grid-row: 3; grid-column: 1 / -1; font-size: 0.82rem; color: var(--muted); font-variant-numeric: tabular-nums; }
.badge { align-self: center; font-size: 0.78rem; padding: 2px 10px; border-radius: 99px; border: 1px solid currentColor; }
.badge.good { background: var(--good-back); } .badge.bad { background: var(--bad-back); }
.figures { display: flex; flex-wrap: wrap; gap: 16px; }
figure { margin: 16px 0 0; padding: 16px; flex: 1 1 100%; min-width: 0; background: var(--card); border: 1px solid var(--line); border-radius: 12px; }
figure.half { flex: 1 1 calc(50% - 8px); margin-top: 0; }
.figures:has(.half) { margin-top: 16px; }
figcaption { font-size: 0.88rem; color: var(--muted); margin-bottom: 6px; }
figure svg { display: block; width: 100%; height: auto; color: var(--ink); font-family: inherit; }
figure .narrow { display: none; }
details { margin-top: 16px; }
summary { cursor: pointer; font-size: 0.92rem; color: var(--accent); padding: 6px 0; }
.scroll { overflow-x: auto; margin: 8px 0 0; border: 1px solid var(--line); border-radius: 12px; background: var(--card); }
.scroll:focus-visible, summary:focus-visible, a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
table { border-collapse: collapse; width: 100%; font-size: 0.86rem; font-variant-numeric: tabular-nums; }
caption { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
th, td { padding: 8px 11px; text-align: left; vertical-align: top; }
thead th { color: var(--muted); font-weight: 550; border-bottom: 1px solid var(--line); white-space: nowrap; }
tbody tr + tr > * { border-top: 1px solid color-mix(in srgb, var(--line) 55%, transparent); }
tbody th, thead th:first-child { position: sticky; left: 0; background: var(--card); }
tbody th { font-weight: 600; min-width: 6.5em; }
.figure:is(th, td) { text-align: right; white-space: nowrap; }
.good { color: var(--good); font-weight: 650; } .bad { color: var(--bad); font-weight: 650; } .muted { color: var(--muted); }
.note { font-size: 0.86rem; color: var(--muted); margin: 10px 0 0; }
.method { margin-top: 16px; font-size: 0.92rem; }
.method div { display: grid; grid-template-columns: 11em 1fr; gap: 12px; padding: 8px 0; border-top: 1px solid var(--line); }
.method dt { color: var(--muted); } .method dd { overflow-wrap: anywhere; }
@media (max-width: 720px) {
  body { padding: 24px 16px 56px; }
  .facts { grid-template-columns: repeat(2, 1fr); }
  figure, figure.half { flex-basis: 100%; padding: 12px 10px; }
  figure .wide { display: none; } figure .narrow { display: block; }
  .targets { grid-template-columns: 1fr; }
  .method div { grid-template-columns: 1fr; gap: 0; }
}
@media print {
  :root {
    --paper: #fff; --card: #fff; --ink: #000; --muted: #444; --line: #bbb; --accent: #000;
    --c1: #2563c9; --c2: #d2571c; --c3: #0d8a6c; --c4: #8a4bc6; --c5: #a67c00; --c6: #c0357e; --c7: #5a6a7a; --c8: #2a8aa5;
    --good: #14743a; --good-back: #e2f3e7; --bad: #b3261e; --bad-back: #fbe6e3;
  }
  @page { margin: 14mm; }
  body { max-width: none; padding: 0; font-size: 10.5pt; print-color-adjust: exact; -webkit-print-color-adjust: exact; }
  nav { display: none; }
  section { margin-top: 28px; }
  h2, summary, figcaption, .legend { break-after: avoid; }
  figure, tr, .facts { break-inside: avoid; }
  figure.half { flex-basis: calc(50% - 8px); }
  .facts { grid-template-columns: repeat(4, 1fr); }
  .scroll { overflow: visible; border-radius: 0; }
  tbody th, thead th:first-child { position: static; }
  .targets { grid-template-columns: repeat(2, 1fr); }
  table { font-size: 8pt; }
  th, td { padding: 4px 6px; } .figure:is(th, td), thead th { white-space: normal; }
  figure .wide { display: block; } figure .narrow { display: none; }
  details::details-content { content-visibility: visible; block-size: auto; }
  summary { color: #000; list-style: none; }
}
`;
