/** Measures the accuracy and latency of the demo's retrievers and reader. */
import type {Collection, Retriever} from '../../collection/index.ts';
import type {EncyclopediaQuestion} from '../../corpus/index.ts';
import {exactMatch, f1, hasAnswer} from '../../evaluation/index.ts';
import type {Answer} from '../../reader/index.ts';
import type {Hit, Passage} from '../../core/types.ts';

/** The result of one retriever for one question. */
export interface Outcome {
	readonly question: EncyclopediaQuestion;
	readonly passages: ReadonlyArray<Passage & Hit>;
	/** Rank, from 1, of the first passage with an answer; 0 if there is none. */
	readonly rank: number;
	readonly answer: Answer | undefined;
	/** Latency of the search in milliseconds. */
	readonly searchMs: number;
	/** Latency of reading in milliseconds. */
	readonly readMs: number;
}

export interface MeasureOptions {
	/** Number of passages retrieved. */
	readonly k: number;
	/** Number of passages read, best first. */
	readonly passagesRead: number;
	readonly signal: AbortSignal;
	/** Called after each question with the number of questions done. */
	readonly onQuestion: (done: number) => void;
}

/**
Answers questions one at a time, as a user would ask them: searches for `k` passages, and lets the reader extract an
answer from the first `passagesRead` of them.
*/
export async function measure(
	collection: Collection,
	retriever: Retriever,
	questions: readonly EncyclopediaQuestion[],
	options: MeasureOptions,
): Promise<Outcome[]> {
	const {k, passagesRead, signal, onQuestion} = options;
	const searcher = await collection.searcher(retriever);
	const reader = await collection.reader();
	const outcomes: Outcome[] = [];
	for (const [i, question] of questions.entries()) {
		let startedAt = performance.now();
		const hits = await searcher.search(question.text, {k, signal});
		const searchMs = performance.now() - startedAt;
		const passages = await collection.passagesOf(hits);
		startedAt = performance.now();
		const [answer] = await reader.read(question.text, passages.slice(0, passagesRead), {signal, evidence: collection.evidence(retriever)});
		const readMs = performance.now() - startedAt;
		const rank = passages.findIndex(({text}) => hasAnswer(text, question.answers)) + 1;
		outcomes.push({question, passages, rank, answer, searchMs, readMs});
		onQuestion(i + 1);
	}
	return outcomes;
}

/** Returns the share of questions with an answer in the first k passages. */
export function accuracyAt(outcomes: readonly Outcome[], k: number): number {
	return mean(outcomes.map(({rank}) => Number(rank > 0 && rank <= k)));
}

/** Returns the share of questions that the reader answers exactly. */
export function meanExactMatch(outcomes: readonly Outcome[]): number {
	return mean(outcomes.map(({answer, question}) => Number(answer !== undefined && exactMatch(answer.text, question.answers))));
}

/** Returns the mean F1 of the reader's answers. */
export function meanF1(outcomes: readonly Outcome[]): number {
	return mean(outcomes.map(({answer, question}) => (answer ? f1(answer.text, question.answers) : 0)));
}

/**
Returns a percentile of values by the nearest-rank method; 0 if there are none. `share` is 0.99 for the 99th percentile.
*/
export function percentile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function mean(values: readonly number[]): number {
	return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
