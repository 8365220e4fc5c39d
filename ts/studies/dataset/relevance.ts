import {type PassageStore, readQrels} from '../../corpus/index.ts';
import {RetrievalError} from '../../core/errors.ts';
import {hasAnswer} from '../../evaluation/index.ts';
import {waitForTime} from '../../core/event-loop.ts';
import type {CallOptions, Qrels, Query, Question, Run} from '../../core/types.ts';

/** How it is known which passages are relevant: by qrels, the passages that questions were written for, or answers that passages have. */
export type RelevanceSource = 'qrels' | 'contexts' | 'answers';

/** Which passages are relevant. */
export interface Judged {
	readonly from: RelevanceSource;
	readonly qrels: Qrels;
	/** Of passages that were not judged. */
	readonly isRelevant?: (queryId: string, passageId: string) => Promise<boolean>;
}

/** BM25's best passages for queries that are questions with their answers. */
export type SupervisionSearch = (queries: readonly Query[]) => Promise<Run>;

/** The relevance judgments of a study: qrels, else the passages that questions came with, else passages that have answers. */
export async function judgedFor(
	qrels: string | undefined,
	questions: readonly Question[],
	search: SupervisionSearch,
	passages: PassageStore,
	corpus: ReadonlySet<string>,
	options: CallOptions,
): Promise<Judged> {
	if (qrels !== undefined) {
		const read: Qrels = await readQrels(qrels, options.signal === undefined ? {} : {signal: options.signal});
		return {from: 'qrels', qrels: read};
	}
	return judgedByContexts(questions, corpus) ?? judgedByAnswers(questions, search, passages, options);
}

/** The passages that questions were written for, where a file of questions has them and the corpus too. */
export function judgedByContexts(questions: readonly Question[], corpus: ReadonlySet<string>): Judged | undefined {
	const qrels = new Map(
		questions.flatMap(({id, context}) => (context && corpus.has(context.id) ? [[id, new Map([[context.id, 1]])] as const] : [])),
	);
	return qrels.size === 0 ? undefined : {from: 'contexts', qrels};
}

/** Passages that distant supervision looks at for each question (Karpukhin et al., 2020, §4.2). */
export const SUPERVISION_DEPTH = 100;

/**
Distant supervision (Karpukhin et al., 2020, §4.2 and appendix A): the query is the question and its first answer together, and
the relevant passages are those of BM25's first 100 that contain an answer, in BM25's order, so that the gold passage is the best of
them. A question without such a passage has none and is dropped.
*/
export async function judgedByAnswers(
	questions: readonly Question[],
	search: SupervisionSearch,
	passages: PassageStore,
	{signal, onProgress}: CallOptions,
): Promise<Judged> {
	const answers = new Map(questions.map(question => [question.id, question.answers]));
	if (questions.every(({answers}) => answers.length === 0)) {
		throw new RetrievalError('ERR_ARGUMENT', 'expected qrels, or questions with answers or with their passages, got neither');
	}
	const answered = questions.filter(({answers}) => answers.length > 0);
	const bm25 = await search(answered.map(({id, text, answers}) => ({id, text: `${text} ${answers[0]!}`})));
	const qrels = new Map<string, Map<string, number>>();
	for (const [done, {id, answers}] of questions.entries()) {
		const relevant = new Map<string, number>();
		for (const {id: passage, text} of await passages.get((bm25.get(id) ?? []).slice(0, SUPERVISION_DEPTH).map(hit => hit.id))) {
			await waitForTime();
			if (hasAnswer(text, answers)) {
				relevant.set(passage, 1);
			}
		}
		signal?.throwIfAborted();
		qrels.set(id, relevant);
		await onProgress?.({done: done + 1, total: questions.length});
	}
	return {
		from: 'answers',
		qrels,
		async isRelevant(query, passage) {
			const [found] = await passages.get([passage]);
			return hasAnswer(found!.text, answers.get(query) ?? []);
		},
	};
}
