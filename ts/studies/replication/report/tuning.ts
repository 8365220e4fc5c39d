/** How the weights of hybrids were tuned: curves, sentences and tables. */
import {percent} from '../../../drawing/format.ts';
import type {ReportTable} from '../../../drawing/table.ts';
import {labelOf, weightSymbol} from '../labels.ts';
import type {RetrievalCondition, Study} from '../study.ts';

interface TuningPoint {
	readonly weight: number;
	readonly accuracy: number;
}

/** A hybrid's accuracy on development questions by its weight. */
export interface TuningCurve {
	readonly condition: RetrievalCondition;
	/** λ or α. */
	readonly symbol: string;
	readonly points: readonly TuningPoint[];
	/** The chosen weight. */
	readonly best: TuningPoint;
}

/** The curves of all hybrids that were tuned. */
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

/** A weight, with enough digits to distinguish the values of a grid. */
export const shownWeight = (weight: number): string => String(Number(weight.toPrecision(4)));

export function tuningSentence({symbol, points, best}: TuningCurve, {settings}: Study): string {
	const weights = points.map(({weight}) => weight);
	return `${symbol} = ${shownWeight(best.weight)}, with ${percent(best.accuracy)} % at top-${settings.tunedFor}, of ${points.length} weights from ${shownWeight(Math.min(...weights))} to ${shownWeight(Math.max(...weights))}`;
}

/** A table for λ and one for α, because they have different values. */
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
	const chosen = curves.map(curve => `${labelOf(curve.condition)}: ${tuningSentence(curve, study)}`);
	return {
		name: 'Tuning',
		caption: `Accuracy on development questions in per cent. Chosen are ${chosen.join('; ')}.`,
		stub: 'Weight',
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
