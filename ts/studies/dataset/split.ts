/** Splits questions into development and test questions. */
import {createHash} from 'node:crypto';
import {RetrievalError} from '../../core/errors.ts';
import type {Question} from '../../core/types.ts';

/** What is never divided between both sides: files, or (if there is one file) documents, gold passages or single questions. */
export type SplitBy = 'files' | 'documents' | 'passages' | 'questions';

/** How reports describe the development questions. */
export const splitLabels: Readonly<Record<SplitBy, string>> = {
	files: 'as the files have them',
	documents: 'about a third of the questions, by whole documents (titles of gold passages)',
	passages: 'about a third of the questions, by gold passages',
	questions: 'about a third of the questions',
};

/** A question, and the keys by which it may be grouped. */
export interface SplittableQuestion {
	readonly id: string;
	/** Title of the gold passage. */
	readonly document: string | undefined;
	/** Id of the gold passage. */
	readonly gold: string;
}

export interface QuestionSplit {
	/** Ids of questions. */
	readonly development: readonly string[];
	readonly test: readonly string[];
	readonly by: SplitBy;
}

/** With fewer groups, no selection of them comes close to a third of the questions. */
const MIN_GROUPS = 12;

/**
Draws about `share` of the questions for development, by the seed. It draws whole documents, identified by their titles, so that no
parameter is chosen on passages of a document that is also used for testing. If there are fewer than twelve documents, it draws gold
passages; if there are fewer than twelve of these, single questions. Both sides keep the order of the questions.
*/
export function splitQuestions(questions: readonly SplittableQuestion[], seed: number, share = 1 / 3): QuestionSplit {
	const groupings: ReadonlyArray<readonly [by: SplitBy, keyOf: (question: SplittableQuestion) => string]> = [
		...(questions.every(({document}) => document !== undefined)
			? [['documents', ({document}: SplittableQuestion) => document!] as const]
			: []),
		['passages', ({gold}) => gold],
		['questions', ({id}) => id],
	];
	const groupSizes = ([, keyOf]: (typeof groupings)[number]): Map<string, number> => {
		const sizes = new Map<string, number>();
		for (const question of questions) {
			sizes.set(keyOf(question), (sizes.get(keyOf(question)) ?? 0) + 1);
		}
		return sizes;
	};
	const grouping = groupings.find(grouping => groupSizes(grouping).size >= MIN_GROUPS) ?? groupings.at(-1)!;
	const [by, keyOf] = grouping;
	const shuffled = [...groupSizes(grouping)]
		.map(([key, size]) => ({key, size, hash: createHash('sha256').update(`${seed}\0${key}`).digest('hex')}))
		.sort((a, b) => (a.hash < b.hash ? -1 : 1));
	const wanted = share * questions.length;
	const drawn = new Set<string>();
	let count = 0;
	for (const {key, size} of shuffled) {
		// A group is drawn if that brings the count closer to what is wanted.
		if (Math.abs(count + size - wanted) < Math.abs(count - wanted)) {
			drawn.add(key);
			count += size;
		}
	}
	const ids = (isDrawn: boolean): string[] => questions.filter(question => drawn.has(keyOf(question)) === isDrawn).map(({id}) => id);
	return {development: ids(true), test: ids(false), by};
}

/**
Splits the questions of a data set that have a gold passage. Two files are development and test questions; a single file is split by
the seed. Fails with `ERR_FORMAT` if a side has too few questions.
*/
export function splitDataset(
	lists: ReadonlyArray<readonly Question[]>,
	gold: ReadonlyMap<string, string>,
	titles: ReadonlyMap<string, string>,
	seed: number,
): {readonly split: QuestionSplit; readonly questions: readonly Question[]} {
	const [first = [], second] = lists.map(list => list.filter(({id}) => gold.has(id)));
	const questions = [...first, ...(second ?? [])];
	const idsOf = (list: readonly Question[]): string[] => list.map(({id}) => id);
	const split: QuestionSplit = second
		? {development: idsOf(first), test: idsOf(second), by: 'files'}
		: splitQuestions(
				first.map(({id}) => {
					const passage = gold.get(id)!;
					return {id, gold: passage, document: titles.get(passage)};
				}),
				seed,
			);
	if (split.development.length === 0 || split.test.length < 2) {
		throw new RetrievalError(
			'ERR_FORMAT',
			`questions: expected development questions and at least 2 test questions with a relevant passage in the corpus, got ${split.development.length} and ${split.test.length}`,
		);
	}
	return {split, questions};
}
