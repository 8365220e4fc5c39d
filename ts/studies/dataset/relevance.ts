/**
Determines which passages are relevant for a question: those that were judged relevant, the one that the question was
written for, or those that contain an answer. The last method is called distant supervision.
*/
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import type {AnswerKind, CallOptions, Qrels, Query, Question, Run} from '../../core/types.ts';
import {type PassageStore, readQrels} from '../../corpus/index.ts';
import {hasAnswer} from '../../evaluation/index.ts';

/**
How relevant passages are determined. `qrels`: by a file of relevance judgments; `contexts`: by the questions, which name
the passages that they were written for, or their gold passages; `answers`: by the answers that passages contain.
*/
export type RelevanceSource = 'qrels' | 'contexts' | 'answers';

/** The relevant passages of questions, and how they were determined. */
export interface RelevanceJudgments {
	readonly from: RelevanceSource;
	readonly qrels: Qrels;
	/** Returns whether a passage without a judgment is relevant. Missing if all such passages are irrelevant. */
	readonly isRelevant?: (queryId: string, passageId: string) => Promise<boolean>;
}

export interface AnswerOptions extends CallOptions {
	/** Whether accepted answers are texts or regular expressions. @default 'text' */
	readonly answerKind?: AnswerKind | undefined;
}

/** Searches with BM25. Each query is a question followed by its first answer. */
export type SupervisionSearch = (queries: readonly Query[]) => Promise<Run>;

/**
Determines relevant passages from the first source that the data set has, in the order of `RelevanceSource`. If several
files of judgments are about the same question, those in the last one count.
*/
export async function judgeRelevance(
	qrelsPaths: readonly string[],
	questions: readonly Question[],
	search: SupervisionSearch,
	passages: PassageStore,
	corpus: ReadonlySet<string>,
	options: AnswerOptions,
): Promise<RelevanceJudgments> {
	if (qrelsPaths.length > 0) {
		const qrels = new Map<string, ReadonlyMap<string, number>>();
		for (const path of qrelsPaths) {
			const read = await readQrels(path, options.signal === undefined ? {} : {signal: options.signal});
			read.forEach((grades, id) => qrels.set(id, grades));
		}
		return {from: 'qrels', qrels};
	}
	return judgeByContexts(questions, corpus) ?? judgeByAnswers(questions, search, passages, options);
}

/**
Takes the gold passages of a question or, if the corpus has none of them, the passage that the question was written for, as
its relevant passages. Returns `undefined` if no question names a passage of the corpus.
*/
export function judgeByContexts(questions: readonly Question[], corpus: ReadonlySet<string>): RelevanceJudgments | undefined {
	const qrels = new Map(
		questions.flatMap(({id, context, positives = []}) => {
			const gold = positives.filter(passage => corpus.has(passage));
			const known = gold.length > 0 || context === undefined || !corpus.has(context.id) ? gold : [context.id];
			return known.length > 0 ? [[id, new Map(known.map(passage => [passage, 1]))] as const] : [];
		}),
	);
	return qrels.size === 0 ? undefined : {from: 'contexts', qrels};
}

/** Number of hits per question in which distant supervision looks for an answer (Karpukhin et al., 2020, §4.2). */
export const SUPERVISION_DEPTH = 100;

/**
Determines relevant passages by distant supervision (Karpukhin et al., 2020, §4.2 and appendix A). BM25 searches for the
question together with its first answer. A passage among the first 100 hits is relevant if it contains an accepted
answer. The relevant passages of a question stay in BM25's order, so the first one becomes its gold passage. A question
without a relevant passage has an empty map.
*/
export async function judgeByAnswers(
	questions: readonly Question[],
	search: SupervisionSearch,
	passages: PassageStore,
	{answerKind, signal, onProgress}: AnswerOptions,
): Promise<RelevanceJudgments> {
	const answers = new Map(questions.map(question => [question.id, question.answers]));
	if (questions.every(question => question.answers.length === 0)) {
		throw new RetrievalError('ERR_ARGUMENT', 'expected qrels, or questions with answers or with their passages, got none of these');
	}
	const answerable = questions.filter(question => question.answers.length > 0);
	const run = await search(answerable.map(({id, text, answers}) => ({id, text: `${text} ${answers[0]!}`})));
	const qrels = new Map<string, Map<string, number>>();
	for (const [done, {id, answers}] of questions.entries()) {
		const relevant = new Map<string, number>();
		for (const {id: passage, text} of await passages.get((run.get(id) ?? []).slice(0, SUPERVISION_DEPTH).map(hit => hit.id))) {
			await yieldIfOverBudget();
			if (hasAnswer(text, answers, answerKind)) {
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
			return hasAnswer(found!.text, answers.get(query) ?? [], answerKind);
		},
	};
}

/**
Returns the gold passage of each question: the first one with the highest grade among its relevant passages in the
corpus.
*/
export function goldPassages(qrels: Qrels, corpus: ReadonlySet<string>): Map<string, string> {
	const gold = new Map<string, string>();
	for (const [id, grades] of qrels) {
		const [best] = [...grades].filter(([passage, grade]) => grade > 0 && corpus.has(passage)).sort(([, a], [, b]) => b - a);
		if (best !== undefined) {
			gold.set(id, best[0]);
		}
	}
	return gold;
}
