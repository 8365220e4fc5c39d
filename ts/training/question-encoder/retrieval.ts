/** Retrieves passages for questions, and finds out which of them are positive. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import {joinedIdsOf} from '../../core/native/hits.ts';
import type {AnswerKind, CallOptions, Vectors} from '../../core/types.ts';
import type {NativeVectorIndex} from '../../dense/native-vector-index.ts';
import type {TrainingQuestion} from '../data/mining-options.ts';

/** Number of questions per call of the addon. */
export const QUESTIONS_PER_CALL = 256;

/** The passages that were retrieved for a question, best first. */
export interface Retrieved {
	readonly ids: readonly string[];
	/** Whether each passage is positive. */
	readonly isPositive: readonly boolean[];
	/** Whether each passage contains an accepted answer. */
	readonly hasAnswer: readonly boolean[];
}

export interface RetrievalInputs {
	readonly index: NativeVectorIndex;
	readonly texts: Binding.NativeTexts;
	readonly answerKind: AnswerKind;
	/** Number of threads; 0 for one per core. */
	readonly threads: number;
	/** As in a search of the index; an exact index ignores it. */
	readonly efSearch: number | undefined;
}

export class Retrieval {
	readonly #inputs: RetrievalInputs;

	constructor(inputs: RetrievalInputs) {
		this.#inputs = inputs;
	}

	/**
	Returns the best `k` passages for each question, by the vectors of the questions. A passage is positive if its id is one of the given ones
	or, for a question without given positives, if it contains an accepted answer.
	*/
	async retrieve(
		questions: ReadonlyArray<Pick<TrainingQuestion, 'answers' | 'positives'>>,
		vectors: Vectors,
		k: number,
		{signal}: CallOptions,
	): Promise<Retrieved[]> {
		const {index, texts, answerKind, threads, efSearch} = this.#inputs;
		const keys = questions.map((_, i) => `${i}`);
		const run = await index.searchRun(keys, vectors, {k, efSearch, signal, ...(threads > 0 && {threads})});
		const judge = new native.AnswerJudge([run], texts, k, answerKind === 'pattern');
		for (const [i, {answers = []}] of questions.entries()) {
			judge.add(keys[i]!, [...answers]);
		}
		const flags = await callNative({signal}, async control => judge.withAnswers(control));
		const retrieved: Retrieved[] = [];
		let hit = 0;
		for (const [i, {positives = []}] of questions.entries()) {
			await yieldIfOverBudget();
			const ids = joinedIdsOf(run, keys[i]!)!;
			const given = new Set(positives);
			const hasAnswer = Array.from(flags.subarray(hit, hit + ids.length), flag => flag === 1);
			hit += ids.length;
			retrieved.push({ids, hasAnswer, isPositive: given.size > 0 ? ids.map(id => given.has(id)) : hasAnswer});
		}
		return retrieved;
	}
}

/** The first `count` positives. */
export const firstPositives = ({ids, isPositive}: Retrieved, count: number): string[] => firstOf(ids, at => isPositive[at]!, count);

/** The first `count` passages that are not positive and contain no answer. */
export const firstNegatives = ({ids, isPositive, hasAnswer}: Retrieved, count: number): string[] =>
	firstOf(ids, at => !isPositive[at] && !hasAnswer[at], count);

function firstOf(ids: readonly string[], isWanted: (position: number) => boolean, count: number): string[] {
	const found: string[] = [];
	for (let at = 0; at < ids.length && found.length < count; at += 1) {
		if (isWanted(at)) {
			found.push(ids[at]!);
		}
	}
	return found;
}
