/**
How the weights of hybrids were tuned: the curves of accuracy by weight, and clauses and tables about them. λ is the
weight of dense scores in DPR's own hybrid; α is the weight of BM25 scores in the hybrids of Ma et al. (2021).
*/
import {percent} from '../../../drawing/format.ts';
import type {ReportTable} from '../../../drawing/table.ts';
import {labelOf, weightSymbol} from '../labels.ts';
import type {RetrievalCondition, Study} from '../study.ts';

/** A weight that was tried, and the accuracy with it. */
interface TuningPoint {
	readonly weight: number;
	readonly accuracy: number;
}

/** A hybrid's accuracy on development questions by its weight. */
export interface TuningCurve {
	readonly condition: RetrievalCondition;
	/** Symbol of the weight: λ or α. */
	readonly symbol: string;
	readonly points: readonly TuningPoint[];
	/** The chosen weight, with its accuracy. */
	readonly best: TuningPoint;
}

/** Returns the curves of all hybrids that were tuned. */
export function tuningCurves({retrieval}: Study): readonly TuningCurve[] {
	return retrieval.rows.flatMap(({condition, weight, tuning = []}) => {
		if (tuning.length === 0) {
			return [];
		}
		const highest = tuning.reduce((a, b) => (b.accuracy > a.accuracy ? b : a));
		const best = tuning.find(point => point.weight === weight) ?? highest;
		return [{condition, symbol: weightSymbol(condition), points: tuning, best}];
	});
}

/** Formats a weight with four significant digits, which distinguish the values that were tried. */
export const shownWeight = (weight: number): string => String(Number(weight.toPrecision(4)));

/** Returns a clause about the chosen weight, its accuracy, and the weights that were tried. */
export function tuningClause({symbol, points, best}: TuningCurve, {settings}: Study): string {
	const weights = points.map(({weight}) => weight);
	const range = `${points.length} weights from ${shownWeight(Math.min(...weights))} to ${shownWeight(Math.max(...weights))}`;
	return `${symbol} = ${shownWeight(best.weight)}, with a top-${settings.tunedFor} accuracy of ${percent(best.accuracy)}%, the best of ${range}`;
}

/** Returns one table for λ and one for α, because different values were tried for them. */
export function tuningTables(curves: readonly TuningCurve[], study: Study): readonly ReportTable[] {
	const symbols = [...new Set(curves.map(({symbol}) => symbol))];
	return symbols.map(symbol =>
		tuningTable(
			curves.filter(curve => curve.symbol === symbol),
			study,
		),
	);
}

function tuningTable(curves: readonly TuningCurve[], study: Study): ReportTable {
	const weights = [...new Set(curves.flatMap(({points}) => points.map(({weight}) => weight)))].sort((a, b) => a - b);
	const chosen = curves.map(curve => `${labelOf(curve.condition)} has ${tuningClause(curve, study)}`);
	return {
		name: 'Tuning',
		caption: `Top-${study.settings.tunedFor} accuracy on development questions in percent, by weight. Chosen weights: ${chosen.join('; ')}.`,
		firstHeading: 'Weight',
		columns: curves.map(({condition, symbol}) => ({heading: `${labelOf(condition)} (${symbol})`})),
		blocks: [
			{
				rows: weights.map(weight => ({
					heading: {text: shownWeight(weight)},
					cells: curves.map(({points}) => {
						const point = points.find(point => point.weight === weight);
						return {text: point ? percent(point.accuracy) : '–'};
					}),
				})),
			},
		],
	};
}
