/** Style rules of this report: orange is without calibration or by search, blue is with calibration. */
export const phraseStyle = `
svg g.before { color: var(--bm25); } svg g.after { color: var(--dense); }
svg .before .curve { stroke-dasharray: 4 3; }
svg .ideal { stroke: var(--strong); stroke-dasharray: 2 3; }
svg .bin { fill: currentColor; fill-opacity: .28; stroke: currentColor; }
svg .before .bin { fill: none; }
svg .searched { stroke: currentColor; stroke-dasharray: 6 4; }
svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
`;
