/**
CSS rules of the vocabulary study's report. In curves, blue stands for the encoder, orange for the baseline, and green
for the enriched encoder. In box plots, blue (`found`) stands for the passages that the encoder ranks best, and orange
(`missed`) for all others.
*/
import {exampleStyle} from '../examples/html.ts';

export const vocabularyStyle = `${exampleStyle}
svg g.encoder, svg g.found { color: var(--dense); } svg g.baseline, svg g.missed { color: var(--bm25); }
svg g.enriched { color: var(--yes); }
svg .baseline .curve { stroke-dasharray: 4 3; } svg .enriched .curve { stroke-dasharray: 9 3; }
svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
svg .whisker, svg .median { stroke: currentColor; } svg .median { stroke-width: 2.2; }
svg .box { fill: currentColor; fill-opacity: .18; stroke: currentColor; }
svg .part { stroke: var(--paper); stroke-width: .8; }
.part-0 { fill: var(--dense); } .part-1 { fill: var(--strong); } .part-2 { fill: var(--yes); } .part-3 { fill: var(--yes); fill-opacity: .35; } .part-4 { fill: var(--rule); }
.key { display: flex; flex-wrap: wrap; gap: .2rem 1.2rem; margin: .6rem 0 0; padding: 0; list-style: none; font-size: .88rem; color: var(--quiet); }
.key svg { display: inline-block; width: .8em; height: .8em; margin: 0 .4em 0 0; vertical-align: -.05em; }
`;
