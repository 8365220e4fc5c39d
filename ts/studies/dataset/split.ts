import {createHash} from 'node:crypto';
import {RetrievalError} from '../../core/errors.ts';
import type {Question} from '../../core/types.ts';

/** What no two questions of which are on both sides: files, or by the seed documents (titles), gold passages or questions. */
export type SplitBy = 'files' | 'documents' | 'passages' | 'questions';

/** How a report says it. */
export const splitWords: Readonly<Record<SplitBy, string>> = {
	files: 'as the files have them',
	documents: 'about a third of the questions, by whole documents (titles of gold passages)',
	passages: 'about a third of the questions, by gold passages',
	questions: 'about a third of the questions',
};

/** A question by what it should not be parted from. */
export interface Divisible {
	readonly id: string;
	/** Of its gold passage. */
	readonly document: string | undefined;
	readonly gold: string;
}

export interface Split {
	readonly development: readonly string[];
	readonly test: readonly string[];
	readonly by: SplitBy;
}

/** So many groups at least, for a part of them to come near a third. */
const FEWEST = 12;

/**
About `share` of the questions for development, by the seed. What is drawn are whole documents, told by title, so that no
temperature and no model is chosen by passages of the text that it is measured on; where there are fewer than twelve, gold
passages; where there are fewer of these, questions. Both lists keep the order of the questions.
*/
export function splitQuestions(questions: readonly Divisible[], seed: number, share = 1 / 3): Split {
	const ways: ReadonlyArray<readonly [by: Split['by'], keyOf: (question: Divisible) => string]> = [
		...(questions.every(({document}) => document !== undefined) ? [['documents', ({document}: Divisible) => document!] as const] : []),
		['passages', ({gold}) => gold],
		['questions', ({id}) => id],
	];
	const sizes = ([, keyOf]: (typeof ways)[number]): Map<string, number> => {
		const counts = new Map<string, number>();
		for (const question of questions) {
			counts.set(keyOf(question), (counts.get(keyOf(question)) ?? 0) + 1);
		}
		return counts;
	};
	const way = ways.find(way => sizes(way).size >= FEWEST) ?? ways.at(-1)!;
	const [by, keyOf] = way;
	const order = [...sizes(way)]
		.map(([key, count]) => ({key, count, drawn: createHash('sha256').update(`${seed}\0${key}`).digest('hex')}))
		.sort((a, b) => (a.drawn < b.drawn ? -1 : 1));
	const wanted = share * questions.length;
	const taken = new Set<string>();
	let count = 0;
	for (const {key, count: own} of order) {
		// Taken as long as that comes nearer.
		if (Math.abs(count + own - wanted) < Math.abs(count - wanted)) {
			taken.add(key);
			count += own;
		}
	}
	const ids = (inside: boolean): string[] => questions.filter(question => taken.has(keyOf(question)) === inside).map(({id}) => id);
	return {development: ids(true), test: ids(false), by};
}

/** Questions with a relevant passage, `gold`, and their two sides; a file of development questions and one of test questions are those. */
export function divided(
	lists: ReadonlyArray<readonly Question[]>,
	gold: ReadonlyMap<string, string>,
	titles: ReadonlyMap<string, string>,
	seed: number,
): {readonly split: Split; readonly asked: readonly Question[]} {
	const [first = [], second] = lists.map(list => list.filter(({id}) => gold.has(id)));
	const asked = [...first, ...(second ?? [])];
	const ids = (of: readonly Question[]): string[] => of.map(({id}) => id);
	const split: Split = second
		? {development: ids(first), test: ids(second), by: 'files'}
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
	return {split, asked};
}
