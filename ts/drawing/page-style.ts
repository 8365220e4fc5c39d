/**
The style sheet of all HTML pages. Curves are blue, orange or in the color of the text, because color-blind readers can
distinguish these colors. Curves of the same color have different dashes.

The names of some classes need an explanation:

- `.findings .here`: what a study has measured, below the paper's claim; `.ps`: the p-values of a finding; `.facts`: the
  metadata of a report;
- `svg.wide`, `svg.narrow`: two drawings of the same figure, one of which is shown, depending on the width of the page;
- `svg .repl`, `.repl-fused`, `.gar`: the dashes of the replication study's curves, named after its ways to score answer
  spans, repl, repl* and GAR (see `docs/replication.md`); `svg .spot`: a circle with a tooltip, invisible until
  the pointer is over it.
*/
export const pageStyle = `
:root {
	color-scheme: light dark;
	--paper: #fffefb; --ink: #1d1d1f; --quiet: #62625e; --rule: #d9d7cf; --strong: #8d8b84; --wash: #f4f2ea;
	--dense: #0a5fa8; --bm25: #b85000; --hybrid: #1d1d1f; --yes: #1c6e3c; --partly: #8a5a00; --no: #9b2c2c;
}
@media screen and (prefers-color-scheme: dark) {
	:root {
		--paper: #17181a; --ink: #e6e4de; --quiet: #a3a19a; --rule: #35363a; --strong: #75757a; --wash: #202225;
		--dense: #6fb5f0; --bm25: #f0a04b; --hybrid: #f2f0ea; --yes: #74c794; --partly: #e0b056; --no: #ee8f8f;
	}
}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body {
	margin: 0; background: var(--paper); color: var(--ink);
	font: 17px/1.55 'Iowan Old Style', 'Palatino Linotype', Palatino, 'TeX Gyre Pagella', P052, 'Book Antiqua', Georgia, 'Liberation Serif', serif;
	font-variant-numeric: lining-nums;
}
main { max-width: 50rem; margin: 0 auto; padding: 3.5rem 1.25rem 5rem; }
h1 { margin: 0; font-size: 2rem; font-weight: 500; line-height: 1.2; text-align: center; text-wrap: balance; }
.byline { margin: .7rem 0 2.2rem; text-align: center; color: var(--quiet); }
.abstract { max-width: 40rem; margin: 0 auto 2.8rem; }
h2 { margin: 3rem 0 .9rem; font-size: 1.25rem; font-weight: 600; line-height: 1.3; }
h2 .number { margin-right: .6em; color: var(--quiet); font-weight: 400; }
p { margin: .8rem 0; }
a { color: inherit; text-decoration-color: var(--strong); text-underline-offset: .15em; }
sub, sup { line-height: 0; font-size: .72em; }

.findings { margin: 0; padding: 0; list-style: none; counter-reset: finding; border-top: 1px solid var(--rule); }
.findings li { counter-increment: finding; display: grid; grid-template-columns: 1.9rem 1fr 8.6rem; padding: .8rem 0; border-bottom: 1px solid var(--rule); }
.findings li::before { content: counter(finding); color: var(--quiet); font-variant-numeric: tabular-nums; }
.findings p { margin: 0; }
.findings .here { margin-top: .25rem; font-size: .93rem; color: var(--quiet); }
.verdict { justify-self: end; font-style: italic; white-space: nowrap; }
.verdict::before { display: inline-block; width: 1.25em; font-style: normal; font-family: system-ui, 'DejaVu Sans', sans-serif; font-size: .85em; }
.yes { color: var(--yes); } .yes::before { content: '●'; }
.partly { color: var(--partly); } .partly::before { content: '◐'; }
.contradicted { color: var(--no); } .contradicted::before { content: '✕'; }
.undecided { color: var(--quiet); } .undecided::before { content: '○'; }
.untested { color: var(--quiet); } .untested::before { content: '–'; }
.ps { margin: .35rem 0 0; padding: 0; display: grid; grid-template-columns: repeat(auto-fill, minmax(17.5rem, 1fr)); gap: 0 1.6rem; font-size: .86rem; color: var(--quiet); }
.ps div { display: flex; justify-content: space-between; gap: .8rem; border-top: 1px dotted var(--rule); }
.ps dt { margin: 0; } .ps dd { margin: 0; white-space: nowrap; font-variant-numeric: tabular-nums lining-nums; }

.scroll { margin: 1.6rem 0; overflow-x: auto; }
.scroll:focus-visible, summary:focus-visible { outline: 2px solid var(--dense); outline-offset: 3px; }
table { width: 100%; border-collapse: collapse; border-bottom: 1.5px solid var(--ink); font-size: .93rem; line-height: 1.35; font-variant-numeric: tabular-nums lining-nums; }
caption { caption-side: bottom; padding-top: .7rem; text-align: left; font-size: .88rem; line-height: 1.45; color: var(--quiet); }
caption b, figcaption b { color: var(--ink); }
thead { border-top: 1.5px solid var(--ink); border-bottom: 1px solid var(--strong); }
th { font-weight: 500; text-align: left; white-space: nowrap; padding: .3rem .9rem .3rem 0; vertical-align: bottom; }
td, thead th[scope=col]:not(:first-child) { text-align: right; white-space: nowrap; padding: .3rem 1.05rem .3rem .35rem; position: relative; }
thead th.group { text-align: center; padding: .3rem .35rem .1rem; }
thead th.group::after { content: ''; display: block; margin-top: .15rem; border-bottom: 1px solid var(--strong); }
td.words, thead th.words[scope=col]:not(:first-child) { text-align: left; padding-left: .7rem; }
td.paper, th.paper { color: var(--quiet); }
td.start, th.start { padding-left: 1rem; }
td sup { position: absolute; top: .95em; margin-left: .12em; font-size: .78em; }
tbody + tbody { border-top: 1px solid var(--rule); }
tr.block th { padding-top: .45rem; font-style: italic; color: var(--quiet); }
tbody tr:hover td, tbody tr:not(.block):hover th { background: var(--wash); }

figure { margin: 2rem 0 1.2rem; }
figcaption { margin-top: .6rem; font-size: .88rem; line-height: 1.45; color: var(--quiet); }
svg { display: block; width: 100%; height: auto; margin: 0 auto; overflow: visible; }
svg.wide { max-width: 760px; } svg.narrow { display: none; max-width: 400px; }
svg text { font: 12px system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif; fill: var(--quiet); font-variant-numeric: tabular-nums; }
svg .end { text-anchor: end; } svg .middle { text-anchor: middle; }
svg .grid { stroke: var(--rule); } svg .axis { stroke: var(--strong); }
svg g { color: var(--hybrid); } svg g.dense { color: var(--dense); } svg g.bm25 { color: var(--bm25); }
svg .curve { fill: none; stroke: currentColor; stroke-width: 1.7; stroke-linejoin: round; }
svg .repl .curve { stroke-dasharray: 1.5 3; } svg .repl-fused .curve { stroke-dasharray: 5 3; } svg .gar .curve { stroke-dasharray: 9 3 2 3; }
svg .dot { fill: currentColor; stroke: var(--paper); stroke-width: 1; }
svg .leader { stroke: currentColor; stroke-width: .8; opacity: .45; }
svg text.label { fill: currentColor; }
svg .spot { fill: currentColor; opacity: 0; } svg .spot:hover { opacity: .75; }
.panels { display: grid; grid-template-columns: repeat(auto-fit, minmax(15rem, 1fr)); gap: 1.2rem 1.6rem; }
.panels div { max-width: 400px; }
.panels p { margin: 0; font-size: .93rem; }

details { margin: .8rem 0; }
summary { cursor: pointer; color: var(--quiet); font-size: .93rem; }
.facts { margin: 1rem 0; display: grid; grid-template-columns: max-content 1fr; gap: .3rem 1.4rem; font-size: .93rem; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; min-width: 0; }
code, pre { font: .82em/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; overflow-wrap: anywhere; }
.facts code { display: block; color: var(--quiet); }
pre { margin: 1rem 0; padding: .8rem 1rem; background: var(--wash); white-space: pre-wrap; }
.references { padding: 0; list-style: none; font-size: .93rem; } .references li { margin: .5rem 0; padding-left: 1.4rem; text-indent: -1.4rem; }

@media (max-width: 40rem) {
	body { font-size: 16px; }
	main { padding-top: 2rem; }
	h1 { font-size: 1.6rem; }
	.findings li { grid-template-columns: 1.5rem 1fr; }
	.verdict { grid-column: 2; grid-row: 2; justify-self: start; margin-top: .2rem; }
	svg.wide { display: none; } svg.narrow { display: block; }
	caption { position: sticky; left: 0; }
	.facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .6rem; }
}
@media print {
	@page { margin: 2cm; }
	body { font-size: 10.5pt; background: none; }
	main { max-width: none; padding: 0; }
	.scroll { overflow: visible; }
	figure, .findings li, thead, tr { break-inside: avoid; } h2 { break-after: avoid; }
	details::details-content { content-visibility: visible; } summary { list-style: none; }
}
`;
