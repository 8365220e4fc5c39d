/** Reads the questions of a study. */
import {RetrievalError} from '../../core/errors.ts';
import type {Question} from '../../core/types.ts';
import {readQuestions} from '../../corpus/index.ts';

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

/** Returns the questions of several files as one list. Fails with `ERR_FORMAT` if two questions have the same id. */
export function joinedQuestions(dataset: string, lists: ReadonlyArray<readonly Question[]>): readonly Question[] {
	const questions = lists.flat();
	if (new Set(questions.map(({id}) => id)).size < questions.length) {
		throw new RetrievalError('ERR_FORMAT', `${dataset}: expected two files of questions with distinct ids, got some ids in both`);
	}
	return questions;
}
