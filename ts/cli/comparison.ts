import {type PairedTest, bonferroni} from '../evaluation/index.ts';
import {table} from './table.ts';

/** What two runs have of one measure, and whether they differ in it. */
export interface Comparison {
	readonly measure: string;
	/** Of the run, and of the one that it is compared with. */
	readonly mean: number;
	readonly other: number;
	readonly difference: number;
	/** Of a paired t-test, and corrected for all measures by Bonferroni. */
	readonly p: number;
	readonly corrected: number;
}

/** Tests every measure, one after the other. */
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

/** The note that goes with the table. */
export const comparisonNote = 'p of paired t-tests, two-sided; corrected for all measures of the table by Bonferroni';

function shown(p: number): string {
	return p > 0 && p < 0.0001 ? p.toExponential(1) : p.toFixed(4);
}
