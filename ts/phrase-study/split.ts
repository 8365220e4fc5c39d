import {createHash} from 'node:crypto';
import type {QuestionFacts} from './study.ts';

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
	readonly by: QuestionFacts['split'];
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
