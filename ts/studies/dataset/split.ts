/**
Splits questions into test questions and others: development questions, for choosing parameters, or training questions.
*/
import {createHash} from 'node:crypto';
import {RetrievalError} from '../../core/errors.ts';
import type {Question} from '../../core/types.ts';

/**
Which questions stay together when they are split into development and test questions: those of a file, of a document or
of a gold passage, or none (`questions`).
*/
export type SplitBy = 'files' | 'documents' | 'passages' | 'questions';

/** Descriptions, in reports, of the smaller part of the questions, by the unit of the split. */
export const splitLabels: Readonly<Record<SplitBy, string>> = {
	files: 'in a file of their own',
	documents: 'about a third of the questions; those of one document (title of the gold passage) stay together',
	passages: 'about a third of the questions; those of one gold passage stay together',
	questions: 'about a third of the questions',
};

/** A question, with the document and the passage by which it can be grouped. */
export interface SplittableQuestion {
	readonly id: string;
	/** Title of the gold passage. */
	readonly document: string | undefined;
	/** Id of the gold passage. */
	readonly gold: string;
}

/** The result of splitting questions. */
export interface QuestionSplit {
	/** Ids of questions. */
	readonly development: readonly string[];
	readonly test: readonly string[];
	readonly by: SplitBy;
}

/** Minimum number of groups. A selection of fewer, larger groups may be far from a third of the questions. */
const MIN_GROUPS = 12;

/**
Draws about `share` of the questions as development questions; the others are test questions. All questions of a
document, which is identified by its title, are drawn together, so that no parameter is chosen on a document that is
also used for testing. If there are fewer than twelve documents, or if a gold passage has no title, all questions of a
gold passage are drawn together instead; if there are fewer than twelve gold passages, each question is drawn on its own.
The same seed draws the same questions. Development and test questions keep their order.
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
		// A group is drawn if that brings the number of drawn questions closer to the wanted number.
		if (Math.abs(count + size - wanted) < Math.abs(count - wanted)) {
			drawn.add(key);
			count += size;
		}
	}
	const ids = (isDrawn: boolean): string[] => questions.filter(question => drawn.has(keyOf(question)) === isDrawn).map(({id}) => id);
	return {development: ids(true), test: ids(false), by};
}

/** The questions that are not test questions: what they are for, and which share of a single list they are. */
export interface OtherQuestions {
	readonly name: 'development' | 'training';
	readonly share: number;
	/** Whether all questions may be test questions. */
	readonly mayLack?: boolean;
}

/** The other questions of most studies. */
export const developmentQuestions: OtherQuestions = {name: 'development', share: 1 / 3};

/**
Splits the questions that have a gold passage. If there are two lists, the second one has the test questions, and the
first one the others, which the result calls `development`; a single list is split by `splitQuestions`. Fails with
`ERR_FORMAT` if there are no other questions or fewer than 2 test questions.
*/
export function splitDataset(
	lists: ReadonlyArray<readonly Question[]>,
	gold: ReadonlyMap<string, string>,
	titles: ReadonlyMap<string, string>,
	seed: number,
	{name, share, mayLack = false}: OtherQuestions = developmentQuestions,
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
				share,
			);
	if ((split.development.length === 0 && !mayLack) || split.test.length < 2) {
		throw new RetrievalError(
			'ERR_FORMAT',
			`questions: expected ${name} questions and at least 2 test questions with a relevant passage in the corpus, got ${split.development.length} and ${split.test.length}`,
		);
	}
	return {split, questions};
}
