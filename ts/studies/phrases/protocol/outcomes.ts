import {type ModelOutcomes, type Prediction, confidence} from '../../../calibration/index.ts';
import {waitForTime} from '../../../core/event-loop.ts';
import type {Run} from '../../../core/types.ts';

/** The passages that a model finds, and the run with the scores in A_k: of phrases, or of the same passages. */
export interface ScoredRun {
	readonly run: Run;
	readonly scores: Run;
}

/** The best `depth` scores of each question, and whether the model's first passage is right. A question without scores has confidence 0. */
export async function outcomesOf(
	{scores}: ScoredRun,
	ids: readonly string[],
	isRight: (id: string) => boolean,
	depth: number,
): Promise<ModelOutcomes> {
	const data = new Float32Array(ids.length * depth).fill(Number.NEGATIVE_INFINITY);
	for (const [row, id] of ids.entries()) {
		await waitForTime();
		for (const [i, {score}] of (scores.get(id) ?? []).slice(0, depth).entries()) {
			data[row * depth + i] = score;
		}
	}
	return {scores: {data, rows: ids.length, dim: depth}, correct: ids.map(isRight)};
}

/** A model's predictions at a temperature, in the order of the questions. */
export async function predictionsOf({scores: {data, rows, dim}, correct}: ModelOutcomes, temperature: number): Promise<Prediction[]> {
	const predictions: Prediction[] = [];
	for (let row = 0; row < rows; row++) {
		await waitForTime();
		// Rows with fewer than k scores are padded with −∞.
		const scores = data.subarray(row * dim, (row + 1) * dim).filter(score => score > Number.NEGATIVE_INFINITY);
		predictions.push({confidence: confidence(scores, temperature), correct: correct[row]!});
	}
	return predictions;
}
