/** Tests whether two runs differ significantly by each measure, for `passagekit evaluate --run RUN --compare OTHER`. */
import {type PairedTest, bonferroni} from '../evaluation/index.ts';
import {table} from './table.ts';

/** The values of one measure for two runs, and the significance of their difference. */
export interface Comparison {
	readonly measure: string;
	/** Mean of the first run (`--run`). */
	readonly mean: number;
	/** Mean of the second run (`--compare`). */
	readonly other: number;
	/** The mean of the first run's value minus the second run's, over the queries for which both runs have a value. */
	readonly difference: number;
	/** The p-value of a paired t-test. */
	readonly p: number;
	/** `p` after Bonferroni's correction for the number of measures. */
	readonly corrected: number;
}

/** Tests the difference between two runs by each measure. `test` runs the paired t-test of a measure. */
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

/** Formats comparisons as a table, one row per measure. */
export function comparisonTable(rows: readonly Comparison[]): string {
	return table(
		['measure', 'mean', 'other', 'difference', 'p', 'corrected p'],
		rows.map(({measure, mean, other, difference, p, corrected}) => [
			measure,
			mean.toFixed(4),
			other.toFixed(4),
			(difference > 0 ? '+' : '') + difference.toFixed(4),
			formatP(p),
			formatP(corrected),
		]),
	);
}

/** The note below the table. */
export const comparisonNote = 'p is from two-sided paired t-tests; corrected p has Bonferroni’s correction for the number of measures';

function formatP(p: number): string {
	return p > 0 && p < 0.0001 ? p.toExponential(1) : p.toFixed(4);
}
