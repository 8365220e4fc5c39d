/** Compares two runs measure by measure, with significance tests. */
import {type PairedTest, bonferroni} from '../evaluation/index.ts';
import {table} from './table.ts';

/** The values of one measure for two runs, and the significance of their difference. */
export interface Comparison {
	readonly measure: string;
	/** The values of the run and of the run that it is compared with. */
	readonly mean: number;
	readonly other: number;
	readonly difference: number;
	/** The p-value of a paired t-test, and its Bonferroni correction for all measures. */
	readonly p: number;
	readonly corrected: number;
}

/** Tests the difference of the two runs for every measure. */
export async function compare(
	measures: ReadonlyArray<{readonly measure: string; readonly mean: number; readonly other: number; test(): Promise<PairedTest>}>,
): Promise<Comparison[]> {
	const rows: Array<Omit<Comparison, 'corrected'>> = [];
	for (const {measure, mean, other, test} of measures) {
		const {difference, p} = await test();
		rows.push({measure, mean, other, difference, p});
	}
	const corrected = bonferroni(rows.map(({p}) => p));
	return rows.map((row, i) => ({...row, corrected: corrected[i]!}));
}

export function comparisonTable(rows: readonly Comparison[]): string {
	return table(
		['measure', 'mean', 'other', 'difference', 'p', 'corrected p'],
		rows.map(({measure, mean, other, difference, p, corrected}) => [
			measure,
			mean.toFixed(4),
			other.toFixed(4),
			(difference > 0 ? '+' : '') + difference.toFixed(4),
			shown(p),
			shown(corrected),
		]),
	);
}

/** Returns the note below the table. */
export const comparisonNote = 'p of paired t-tests, two-sided; corrected for all measures of the table by Bonferroni';

function shown(p: number): string {
	return p > 0 && p < 0.0001 ? p.toExponential(1) : p.toFixed(4);
}
