// The style sheet of the report page.
import {COLORS, type Color, plotRules} from '../plot/colors.ts';

/** Returns the CSS variables with the colors of a theme: 0 is light, 1 is dark. */
const colorVariables = (theme: 0 | 1): string =>
	(Object.keys(COLORS) as readonly Color[]).map(color => `--${color}: ${COLORS[color][theme]};`).join(' ');

const light = `color-scheme: light; ${colorVariables(0)} --wash: #f5f6f8; --link: #1d5fa8; --warn: #8a5a00; --warn-wash: #fff6e0; --good: #1c6e3c; --bad: #a8232f; --shadow: 0 6px 24px rgb(20 24 32 / 16%);`;
const dark = `color-scheme: dark; ${colorVariables(1)} --wash: #1f2329; --link: #7db6f5; --warn: #f0c060; --warn-wash: #2d2616; --good: #74c794; --bad: #ff8f8f; --shadow: 0 6px 24px rgb(0 0 0 / 60%);`;

export const pageStyle = `
:root { ${light} }
@media screen and (prefers-color-scheme: dark) { :root { ${dark} } }
@media screen { :root[data-theme=light] { ${light} } :root[data-theme=dark] { ${dark} } }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; scroll-behavior: smooth; }
@media (prefers-reduced-motion) { html { scroll-behavior: auto; } }
body { margin: 0; background: var(--paper); color: var(--ink); font: 15px/1.5 system-ui, -apple-system, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif; }
main { max-width: 74rem; margin: 0 auto; padding: 2.5rem 1.25rem 5rem; }
h1 { margin: 0; font-size: 1.75rem; font-weight: 650; letter-spacing: -.01em; line-height: 1.2; }
h2 { margin: 0; font-size: 1.3rem; font-weight: 650; line-height: 1.25; overflow-wrap: anywhere; }
h2 a { color: inherit; text-decoration: none; } h2 a:hover { text-decoration: underline; }
h3 { margin: 0; font-size: 1rem; font-weight: 600; }
p { margin: .5rem 0; }
a { color: var(--link); text-underline-offset: .15em; }
small { font-size: .8em; color: var(--quiet); font-weight: 400; }
.top { display: flex; align-items: start; justify-content: space-between; gap: 1rem; }
.lead { max-width: 46rem; color: var(--quiet); }
.about { margin: .2rem 0 0; font-size: 1.05rem; } .about::first-letter { text-transform: uppercase; }
.quiet { color: var(--quiet); }
section.record { margin-top: 2.6rem; padding-top: 1.6rem; border-top: 2px solid var(--ink); }
:focus-visible { outline: 2px solid var(--link); outline-offset: 2px; }

button { font: inherit; color: inherit; cursor: pointer; }
.theme, .save { padding: .3rem .7rem; border: 1px solid var(--strong); border-radius: 6px; background: none; font-size: .87rem; white-space: nowrap; }
.theme:hover, .save:hover { background: var(--wash); }
.controls { display: flex; flex-wrap: wrap; gap: .6rem 1.4rem; margin: 1.3rem 0 0; align-items: center; }
.choice { display: inline-flex; align-items: center; gap: .5rem; margin: 0; padding: 0; border: 0; font-size: .9rem; }
.choice legend { float: left; padding: 0; color: var(--quiet); }
.choice div { display: inline-flex; border: 1px solid var(--strong); border-radius: 6px; overflow: hidden; }
.choice button { min-width: 2.9rem; min-height: 2rem; padding: .15rem .7rem; border: 0; background: none; }
.choice button + button { border-left: 1px solid var(--strong); }
.choice button[aria-pressed=true] { background: var(--ink); color: var(--paper); }
.choice button:focus-visible { outline-offset: -3px; }

.facts { margin: 1rem 0; display: grid; grid-template-columns: max-content 1fr; gap: .15rem 1.2rem; font-size: .9rem; }
.facts dt { color: var(--quiet); } .facts dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
.notice { margin: 1rem 0; padding: .7rem 1rem; border-left: 4px solid var(--warn); background: var(--warn-wash); border-radius: 0 6px 6px 0; font-size: .93rem; }
.notice b { color: var(--warn); } .notice ul { margin: .2rem 0 0; padding-left: 1.2rem; }
.aside { font-size: .9rem; color: var(--quiet); }

figure { margin: 1.3rem 0 1.8rem; position: relative; }
figcaption { display: flex; align-items: baseline; justify-content: space-between; gap: 1rem; margin-bottom: .5rem; }
.drawing { overflow-x: auto; }
.drawing:focus-visible { outline-offset: 4px; }
svg.plot { display: block; overflow: visible; }
html.scripted .drawing { overflow: visible; touch-action: pan-y; } html.scripted .drawing svg.plot { width: 100%; height: auto; }
.plot.lit .entry { opacity: .22; } .plot.lit .entry.lit { opacity: 1; }
.plot .entry.lit .range { visibility: visible; }
.plot .ring { fill: none; stroke: var(--ink); stroke-width: 2; }
.legend { display: flex; flex-wrap: wrap; gap: .3rem .4rem; margin: .7rem 0 0; padding: 0; list-style: none; font-size: .85rem; }
.legend li > button, .legend li > span { display: inline-flex; align-items: center; gap: .45rem; min-height: 1.9rem; padding: .1rem .6rem .1rem .45rem; border: 1px solid var(--rule); border-radius: 999px; background: none; text-align: left; }
.legend button:hover { border-color: var(--strong); background: var(--wash); }
.legend .ours { font-weight: 600; }
.legend button[aria-pressed=false] { color: var(--quiet); text-decoration: line-through; font-weight: 400; }
.legend button[aria-pressed=false] svg { opacity: .25; }
.legend svg { flex: none; width: 28px; height: 12px; }
.tip { position: absolute; z-index: 2; max-width: min(25rem, 92vw); padding: .45rem .7rem; border-radius: 6px; background: var(--paper); border: 1px solid var(--strong); box-shadow: var(--shadow); font-size: .85rem; line-height: 1.4; pointer-events: none; }
.tip b { display: block; } .tip span { display: block; }

.scroll { position: relative; margin: 1.4rem 0; overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: .87rem; line-height: 1.35; font-variant-numeric: tabular-nums; }
caption { position: sticky; left: 0; max-width: calc(min(100vw, 74rem) - 2.5rem); padding-bottom: .5rem; text-align: left; font-size: .87rem; color: var(--quiet); }
thead { border-bottom: 1.5px solid var(--ink); }
th, td { padding: .32rem .7rem; text-align: right; white-space: nowrap; vertical-align: baseline; }
thead th { font-weight: 600; vertical-align: bottom; }
tbody th, td.words, th[data-words] { text-align: left; }
tbody th { font-weight: 400; padding-left: .4rem; } tbody tr { border-bottom: 1px solid var(--rule); }
tbody th, thead tr:first-child th:first-child { position: sticky; left: 0; z-index: 1; background: var(--paper); padding-left: .4rem; }
tbody tr:hover > * { background: var(--wash); }
tr.ours th { font-weight: 600; box-shadow: inset 3px 0 0 var(--o0); padding-left: .7rem; }
thead th.group { text-align: center; border-bottom: 1px solid var(--rule); font-weight: 400; color: var(--quiet); }
td.start, th.start, th.group { border-left: 1px solid var(--rule); }
td.words { white-space: normal; min-width: 9rem; }
td.wide small { color: var(--warn); font-weight: 600; }
td.better { color: var(--good); font-weight: 600; } td.worse { color: var(--bad); font-weight: 600; }
tr.failed th, tr.failed td { color: var(--quiet); } tr.failed td { font-style: italic; } tr.failed td span { position: sticky; left: 10rem; display: inline-block; vertical-align: top; max-width: calc(min(100vw, 74rem) - 12.8rem); white-space: normal; }
th button { padding: 0; border: 0; background: none; font-weight: inherit; text-align: inherit; white-space: nowrap; }
th button::after { content: '↕'; display: inline-block; width: 1em; margin-left: .15em; text-align: center; color: var(--strong); font-size: .85em; }
th[aria-sort=ascending] button::after { content: '↑'; color: var(--ink); } th[aria-sort=descending] button::after { content: '↓'; color: var(--ink); }
.off { display: none; }
.overview td, .overview th, .overview td.words { white-space: normal; } .overview td.words:last-child, .overview tbody th { white-space: nowrap; }
.chip { display: inline-block; padding: 0 .5em; border-radius: 999px; background: var(--warn-wash); color: var(--warn); font-size: .85em; }

details { margin: 1rem 0; } summary { cursor: pointer; color: var(--link); font-size: .93rem; }
pre { margin: .8rem 0; padding: .8rem 1rem; background: var(--wash); border-radius: 6px; font: .8rem/1.5 ui-monospace, 'SF Mono', Menlo, Consolas, 'DejaVu Sans Mono', monospace; white-space: pre-wrap; overflow-wrap: anywhere; }

@media (max-width: 40rem) {
	main { padding: 1.4rem 1rem 3rem; }
	.facts { grid-template-columns: 1fr; gap: 0; } .facts dd { margin-bottom: .45rem; }
	h1 { font-size: 1.4rem; }
	tbody th { max-width: 9.5rem; white-space: normal; } td.words { white-space: nowrap; }
	caption { max-width: calc(100vw - 2rem); }
	figcaption { flex-wrap: wrap; gap: .3rem 1rem; }
	.overview, .overview tbody, .overview tr, .overview td, .overview th { display: block; text-align: left; padding: 0 0 .1rem; position: static; }
	.overview thead { display: none; } .overview tr { padding: .6rem 0; } .overview tbody th { max-width: none; }
}
@media print {
	@page { margin: 1.6cm; }
	body { font-size: 10pt; } main { max-width: none; padding: 0; }
	.controls, .save, .theme, .tip, details { display: none; }
	.off { display: revert; } .scroll { overflow: visible; } tbody th { position: static; }
	section.record { break-before: page; margin-top: 0; } figure, tr, .notice { break-inside: avoid; }
	th button::after { content: ''; width: 0; margin: 0; } table { font-size: 7.5pt; } th, td, td.words, th button { padding: .15rem .3rem; white-space: normal; min-width: 0; }
}
${plotRules(color => `var(--${color})`)}
`;
