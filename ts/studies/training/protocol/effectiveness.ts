/** The effectiveness of the conditions of a data set on its test questions. */
import type {Run} from '../../../core/types.ts';
import {mean} from '../../statistics/mean.ts';
import type {MeasuredQuestions} from '../../statistics/measures.ts';
import type {ConditionPair, ValueByQuestion} from '../../statistics/paired-comparisons.ts';
import {exactMatchMeasure} from '../claims.ts';
import type {TrainingSummary, TrainingRow} from '../study.ts';
import type {PreparedDataset} from './prepared-dataset.ts';

/** Collects the measures of each condition. */
export class Effectiveness {
	readonly #dataset: PreparedDataset;
	readonly #measured = new Map<string, MeasuredQuestions>();
	readonly #rows: TrainingRow[] = [];

	constructor(dataset: PreparedDataset) {
		this.#dataset = dataset;
	}

	/** All conditions that were measured, in this order. */
	get rows(): readonly TrainingRow[] {
		return this.#rows;
	}

	/** Measures the run of a condition. */
	async add(condition: string, run: Run, training?: TrainingSummary): Promise<void> {
		const {measures, test, measure} = this.#dataset;
		const measured = await measure(run);
		this.#measured.set(condition, measured);
		const values = measures.map(name => mean(test.map(({id}) => measured.get(id)?.[name] ?? 0)));
		this.#rows.push({condition, values, ...(training && {training})});
	}

	/**
	Measures the run of a condition with a reader, without adding a row. `exactMatch` has 1 for each question that the reader answered with
	an accepted answer, else 0. Returns the means of the data set's measures.
	*/
	async addReading(condition: string, run: Run, exactMatch: ReadonlyMap<string, number>): Promise<readonly number[]> {
		const {measures, test, measure} = this.#dataset;
		const measured = await measure(run);
		const values = test.map(({id}) => [id, {...measured.get(id), [exactMatchMeasure]: exactMatch.get(id)!}] as const);
		this.#measured.set(condition, new Map(values));
		return measures.map(name => mean(test.map(({id}) => measured.get(id)?.[name] ?? 0)));
	}

	/** Gives a condition another name for tests. */
	alias(name: string, condition: string): void {
		this.#measured.set(name, this.#measured.get(condition)!);
	}

	has(condition: string): boolean {
		return this.#measured.has(condition);
	}

	/** Pairs the values of two conditions for a test. `suffix` is added to the name of the measure. */
	pair(a: string, b: string, measure: string, suffix = ''): ConditionPair {
		return {a, b, measure: `${measure}${suffix}`, valuesOfA: this.#values(a, measure), valuesOfB: this.#values(b, measure)};
	}

	#values(condition: string, measure: string): ValueByQuestion {
		const measured = this.#measured.get(condition)!;
		return new Map(this.#dataset.test.map(({id}) => [id, measured.get(id)?.[measure] ?? 0]));
	}
}
