/**
Determines which passages are relevant for a question: those that were judged relevant, the one that the question was
written for, or those that contain an answer. The last method is called distant supervision.
*/
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {callNative, native} from '../../core/native/native.ts';
import {nativeRun} from '../../core/native/runs.ts';
import {nativeTexts} from '../../core/native/texts.ts';
import type {Qrels, Query, Question, Run} from '../../core/types.ts';
import {type PassageStore, readQrels} from '../../corpus/index.ts';
import type {TopKAccuracyOptions} from '../../evaluation/index.ts';

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
	options: TopKAccuracyOptions,
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
	options: TopKAccuracyOptions,
): Promise<RelevanceJudgments> {
	const answerable = new Map(questions.filter(({answers}) => answers.length > 0).map(question => [question.id, question]));
	if (answerable.size === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'expected qrels, or questions with answers or with their passages, got none of these');
	}
	const run = await search([...answerable.values()].map(({id, text, answers}) => ({id, text: `${text} ${answers[0]!}`})));
	const found = await hitsWithAnswer(run, [...answerable.values()], passages, options);
	const qrels = new Map<string, ReadonlyMap<string, number>>();
	for (const {id} of questions) {
		await yieldIfOverBudget();
		qrels.set(id, new Map((found.get(id) ?? []).map(passage => [passage, 1])));
	}
	return {
		from: 'answers',
		qrels,
		async isRelevant(query, passage) {
			const question = answerable.get(query);
			if (question === undefined) {
				return false;
			}
			const {answerKind, signal} = options;
			const single: Run = new Map([[query, [{id: passage, score: 0}]]]);
			return (await hitsWithAnswer(single, [question], passages, {answerKind, signal})).get(query)!.length > 0;
		},
	};
}

/**
Returns the hits of each question, of its first `SUPERVISION_DEPTH`, that contain an accepted answer, in their order. As in `topKAccuracy`, a
regular expression that is invalid matches nothing.
*/
async function hitsWithAnswer(
	run: Run,
	questions: readonly Question[],
	passages: PassageStore,
	{answerKind, signal, onProgress}: TopKAccuracyOptions,
): Promise<Map<string, string[]>> {
	const judge = new native.AnswerJudge([await nativeRun(run)], await nativeTexts(passages), SUPERVISION_DEPTH, answerKind === 'pattern');
	for (const {id, answers} of questions) {
		await yieldIfOverBudget();
		judge.add(id, [...answers]);
	}
	const flags = await callNative({signal, onProgress}, async control => judge.withAnswers(control));
	const found = new Map<string, string[]>();
	let start = 0;
	for (const {id} of questions) {
		await yieldIfOverBudget();
		const hits = (run.get(id) ?? []).slice(0, SUPERVISION_DEPTH);
		const ofQuestion = flags.subarray(start, (start += hits.length));
		found.set(
			id,
			hits.flatMap((hit, i) => (ofQuestion[i] === 1 ? [hit.id] : [])),
		);
	}
	return found;
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
