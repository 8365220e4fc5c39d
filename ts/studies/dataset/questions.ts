/** Reads the questions of a study. */
import {RetrievalError} from '../../core/errors.ts';
import type {Question} from '../../core/types.ts';
import {readQrels, readQuestions} from '../../corpus/index.ts';

export interface QuestionsOptions {
	/** Maximum number of questions. If the file has more, questions at equal intervals are taken from it. */
	readonly limit?: number | undefined;
	/**
	`required`: questions without answers are left out. `preferred`: they are left out if other questions in the file
	have answers, as in SQuAD 2.0, which has unanswerable questions. If no question in the file has answers, all
	questions are used.
	*/
	readonly answers: 'required' | 'preferred';
	/** Property of JSON questions with the ids of their gold passages, which become `positives`. By default, there is none. */
	readonly goldField?: string | undefined;
}

/** Reads the questions of a file. Fails with `ERR_FORMAT` if an id occurs twice or if no question is left. */
export async function questionsOf(
	path: string,
	{limit = Infinity, answers, goldField}: QuestionsOptions,
	signal: AbortSignal | undefined,
): Promise<readonly Question[]> {
	const all: Question[] = [];
	const ids = new Set<string>();
	for await (const question of readQuestions(path, {goldField, signal})) {
		if (ids.has(question.id)) {
			throw new RetrievalError('ERR_FORMAT', `${path}: expected questions with distinct ids, got "${question.id}" twice`);
		}
		ids.add(question.id);
		all.push(question);
	}
	const answerable = all.filter(question => question.answers.length > 0);
	const usable = answerable.length > 0 || answers === 'required' ? answerable : all;
	if (usable.length === 0) {
		throw new RetrievalError('ERR_FORMAT', `${path}: expected questions${answers === 'required' ? ' with answers' : ''}, got none`);
	}
	return atEqualIntervals(usable, limit);
}

/** Returns at most `limit` of the values, taken at equal intervals. */
export function atEqualIntervals<T>(values: readonly T[], limit = Infinity): readonly T[] {
	const count = Math.min(limit, values.length);
	return Array.from({length: count}, (_, i) => values[Math.floor((i * values.length) / count)]!);
}

/**
Splits questions into those that are judged in the file `test`, which are the second list, and the others that are judged in
the file `first`. Questions that neither file has are left out.
*/
export async function splitByJudgments(
	questions: readonly Question[],
	first: string,
	test: string,
	signal: AbortSignal | undefined,
): Promise<readonly [first: readonly Question[], test: readonly Question[]]> {
	const [ofFirst, ofTest] = [await readQrels(first, {signal}), await readQrels(test, {signal})];
	return [questions.filter(({id}) => ofFirst.has(id) && !ofTest.has(id)), questions.filter(({id}) => ofTest.has(id))];
}

/** Returns the questions of several files as one list. Fails with `ERR_FORMAT` if two questions have the same id. */
export function joinedQuestions(dataset: string, lists: ReadonlyArray<readonly Question[]>): readonly Question[] {
	const questions = lists.flat();
	if (new Set(questions.map(({id}) => id)).size < questions.length) {
		throw new RetrievalError('ERR_FORMAT', `${dataset}: expected two files of questions with distinct ids, got some ids in both`);
	}
	return questions;
}
