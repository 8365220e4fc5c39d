/** Converts the runs of a model into outcomes, to which temperatures are fitted, and outcomes into predictions. */
import {type ModelOutcomes, type Prediction, confidence} from '../../../calibration/index.ts';
import {yieldIfOverBudget} from '../../../core/event-loop.ts';
import type {Run} from '../../../core/types.ts';

/**
The passages that a model finds, and the run from whose scores its confidence is computed: a run of phrases, or `run`
itself. The paper calls the k highest of these scores A_k.
*/
export interface ScoredRun {
	readonly run: Run;
	readonly scores: Run;
}

/** Returns the best `depth` scores of each question in `ids`, and whether the model's first passage is right. */
export async function outcomesOf(
	{scores}: ScoredRun,
	ids: readonly string[],
	isRight: (id: string) => boolean,
	depth: number,
): Promise<ModelOutcomes> {
	const data = new Float32Array(ids.length * depth).fill(Number.NEGATIVE_INFINITY);
	for (const [row, id] of ids.entries()) {
		await yieldIfOverBudget();
		for (const [i, {score}] of (scores.get(id) ?? []).slice(0, depth).entries()) {
			data[row * depth + i] = score;
		}
	}
	return {scores: {data, rows: ids.length, dim: depth}, correct: ids.map(isRight)};
}

/**
Returns a model's predictions at a temperature, in the order of the questions. A question without scores has confidence
0.
*/
export async function predictionsOf({scores: {data, rows, dim}, correct}: ModelOutcomes, temperature: number): Promise<Prediction[]> {
	const predictions: Prediction[] = [];
	for (let row = 0; row < rows; row++) {
		await yieldIfOverBudget();
		// Rows with fewer than `dim` scores are padded with −∞.
		const scores = data.subarray(row * dim, (row + 1) * dim).filter(score => score > Number.NEGATIVE_INFINITY);
		predictions.push({confidence: confidence(scores, temperature), correct: correct[row]!});
	}
	return predictions;
}
