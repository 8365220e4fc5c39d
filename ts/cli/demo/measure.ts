/** Measures the accuracy of the demo's retrievers and reader. */
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
	readonly searchMs: number;
	readonly readMs: number;
}

export interface MeasureOptions {
	/** Number of passages retrieved. */
	readonly k: number;
	/** Number of passages read, from the first one on. */
	readonly passagesRead: number;
	readonly signal: AbortSignal;
	readonly onQuestion: (done: number) => void;
}

/** Searches for questions one at a time, as a user would, and lets the reader read the hits. */
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
		let began = performance.now();
		const hits = await searcher.search(question.text, {k, signal});
		const searchMs = performance.now() - began;
		const passages = await collection.retrieved(hits);
		began = performance.now();
		const [answer] = await reader.read(question.text, passages.slice(0, passagesRead), {signal, evidence: collection.evidence(retriever)});
		const readMs = performance.now() - began;
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

export function meanExactMatch(outcomes: readonly Outcome[]): number {
	return mean(outcomes.map(({answer, question}) => Number(answer !== undefined && exactMatch(answer.text, question.answers))));
}

export function meanF1(outcomes: readonly Outcome[]): number {
	return mean(outcomes.map(({answer, question}) => (answer ? f1(answer.text, question.answers) : 0)));
}

/** Returns a percentile of sorted values by nearest rank. */
export function percentile(values: readonly number[], share: number): number {
	const sorted = values.toSorted((a, b) => a - b);
	return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
}

function mean(values: readonly number[]): number {
	return values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
}
