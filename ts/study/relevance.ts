import {type PassageStore, readQrels} from '../corpus/index.ts';
import {RetrievalError} from '../errors.ts';
import {hasAnswer} from '../evaluation/index.ts';
import {turnWithTime} from '../turn.ts';
import type {CallOptions, Qrels, Question, Run} from '../types.ts';

/** How it is known which passages are relevant: by qrels, the passages that questions were written for, or answers that passages have. */
export type RelevanceSource = 'qrels' | 'contexts' | 'answers';

/** Which passages are relevant. */
export interface Judged {
	readonly from: RelevanceSource;
	readonly qrels: Qrels;
	/** Of passages that were not judged. */
	readonly isRelevant?: (queryId: string, passageId: string) => Promise<boolean>;
}

/** What is known of relevant passages: qrels, else the passages that questions came with, else those that have answers. */
export async function judgedFor(
	qrels: string | undefined,
	questions: readonly Question[],
	bm25: Run,
	passages: PassageStore,
	corpus: ReadonlySet<string>,
	options: CallOptions,
): Promise<Judged> {
	if (qrels !== undefined) {
		const read: Qrels = await readQrels(qrels, options.signal === undefined ? {} : {signal: options.signal});
		return {from: 'qrels', qrels: read};
	}
	return judgedByContexts(questions, corpus) ?? judgedByAnswers(questions, bm25, passages, options);
}

/** The passages that questions were written for, where a file of questions has them and the corpus too. */
export function judgedByContexts(questions: readonly Question[], corpus: ReadonlySet<string>): Judged | undefined {
	const qrels = new Map(
		questions.flatMap(({id, context}) => (context && corpus.has(context.id) ? [[id, new Map([[context.id, 1]])] as const] : [])),
	);
	return qrels.size === 0 ? undefined : {from: 'contexts', qrels};
}

/**
The passages of a BM25 run that have an answer, in its order, so that gold is the best of them, as for DPR's training
(Karpukhin et al., 2020, §4.1). A question with no such passage has none.
*/
export async function judgedByAnswers(
	questions: readonly Question[],
	bm25: Run,
	passages: PassageStore,
	{signal, onProgress}: CallOptions,
): Promise<Judged> {
	const answers = new Map(questions.map(question => [question.id, question.answers]));
	if (questions.every(({answers}) => answers.length === 0)) {
		throw new RetrievalError('ERR_ARGUMENT', 'expected qrels, or questions with answers or with their passages, got neither');
	}
	const qrels = new Map<string, Map<string, number>>();
	for (const [done, {id, answers}] of questions.entries()) {
		const relevant = new Map<string, number>();
		for (const {id: passage, text} of await passages.get((bm25.get(id) ?? []).map(hit => hit.id))) {
			await turnWithTime();
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
