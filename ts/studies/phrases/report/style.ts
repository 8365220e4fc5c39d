/**
CSS rules of the phrase study's report, whose figures correspond to those of Yang et al. (2023). In Figure 1, orange is
uncalibrated and blue is calibrated; in Figure 2, orange is the temperature found by search, and blue is the paper's
descent.
*/
export const phraseStyle = `
svg g.before { color: var(--bm25); } svg g.after { color: var(--dense); }
svg .before .curve { stroke-dasharray: 4 3; }
svg .ideal { stroke: var(--strong); stroke-dasharray: 2 3; }
svg .bin { fill: currentColor; fill-opacity: .28; stroke: currentColor; }
svg .before .bin { fill: none; }
svg .searched { stroke: currentColor; stroke-dasharray: 6 4; }
svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
`;
