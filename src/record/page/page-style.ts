// Style sheet of a record's page: light or dark as the reader's system, black on white in print.

export const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #fff; --ink: #171b24; --quiet: #565f70; --line: #d5d9e2; --alarm: #b02a17; --doubt: #7a5200; --calm: #33506b; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161d; --ink: #e8ebf0; --quiet: #a9b1c0; --line: #333b48; --alarm: #ff9280; --doubt: #f0c163; --calm: #a9c3dc; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.4 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
.brand, .quiet, figcaption, dt { color: var(--quiet); }
.brand { margin: 0; }
h1 { margin: 0 0 .2em; font-size: 2em; line-height: 1.15; color: var(--calm); }
h1.likely_ai { color: var(--alarm); }
h1.unclear { color: var(--doubt); }
h2 { margin: 1em 0 .3em; font-size: 1.1em; }
.reason { margin: 0 0 1em; max-width: 50em; }
.reason::first-letter { text-transform: uppercase; }
.columns { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; }
.columns > * { flex: 1 1 16rem; min-width: 0; }
figure { margin: 0; }
svg { display: block; width: 100%; max-height: 20rem; }
figcaption { margin-top: .3em; font-size: .9em; }
.enlarged { display: flex; gap: .5rem; margin-top: .5rem; }
.enlarged svg { flex: 1 1 0; max-width: 10rem; max-height: 10rem; outline: 2px solid #e63946; outline-offset: -2px; }
.heat { fill: #e63946; }
.face { fill: none; stroke: #45a0dc; }
.face.alarm { stroke: #e63946; }
dl { margin: 0; }
dl > div { display: flex; gap: .8em; border-bottom: 1px solid var(--line); padding: .15em 0; }
dt { flex: 0 0 8.5em; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .2em .6em .2em 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: normal; }
thead th { color: var(--quiet); }
.fires { color: var(--alarm); font-weight: bold; }
ul { margin: .3em 0; padding-left: 1.2em; }
li { overflow-wrap: anywhere; }
.digests { padding: 0; list-style: none; font: .8em/1.35 ui-monospace, 'DejaVu Sans Mono', monospace; color: var(--quiet); }
p { margin: .4em 0; }
@page { size: A4; margin: 12mm; }
@media print {
  :root { color-scheme: light; --page: #fff; --ink: #000; --quiet: #444; --line: #bbb; --alarm: #8a1f0f; --doubt: #6b4600; --calm: #23384c; }
  body { font-size: 8pt; line-height: 1.25; }
  h1 { font-size: 1.6em; }
  h2 { margin-top: .7em; }
  main { max-width: none; padding: 0; }
  tr, figure { break-inside: avoid; }
  h2 { break-after: avoid; }
  svg { max-height: 50mm; }
  .enlarged svg { max-width: 25mm; }
}
`;
