/**
CSS rules of the training study's report. In Figure 1, blue is the trained encoder, orange is BM25, and gray is the model
before training.
*/
export const trainingStyle = `
svg g.trained { color: var(--dense); } svg g.untrained { color: var(--quiet); }
svg .level { stroke: currentColor; stroke-width: 1.4; } svg .bm25 .level { stroke-dasharray: 6 4; } svg .untrained .level { stroke-dasharray: 2 3; }
svg .halo { paint-order: stroke; stroke: var(--paper); stroke-width: 4px; stroke-linejoin: round; }
`;
