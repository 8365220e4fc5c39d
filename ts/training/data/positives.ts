/** Finds the positive passages of questions: by ids, by contexts, or by answers. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {callNative, native} from '../../core/native/native.ts';
import {hitsFor, nativeRun} from '../../core/native/runs.ts';
import {matchContexts} from './match-contexts.ts';
import type {MiningCorpus} from './mining-corpus.ts';
import type {CheckedMiningOptions, PositiveSource, TrainingQuestion} from './mining-options.ts';
import type {MiningCounts} from './mining-statistics.ts';

/** A question with the ids of its positive passages, at least one. */
export interface QuestionWithPositives {
	readonly question: TrainingQuestion;
	readonly answers: readonly string[];
	readonly positives: readonly string[];
}

/** Returns the questions that have positives in the corpus, in the order of `questions`. The others are counted as dropped. */
export async function findPositives(
	questions: readonly TrainingQuestion[],
	corpus: MiningCorpus,
	options: CheckedMiningOptions,
	counts: MiningCounts,
): Promise<QuestionWithPositives[]> {
	const bySource = {ids: [] as TrainingQuestion[], contexts: [] as TrainingQuestion[], answers: [] as TrainingQuestion[]};
	for (const question of questions) {
		const source = sourceOf(question, options.positives);
		if (source === undefined) {
			counts.drop(question.id, 'nothingToMatch');
		} else {
			bySource[source].push(question);
		}
	}
	const found = new Map<string, readonly string[]>([
		...(await knownPositives(bySource.ids, corpus, counts)),
		...(await matchContexts(bySource.contexts, corpus, options, counts)),
		...(await superviseByAnswers(bySource.answers, corpus, options, counts)),
	]);
	for (const source of ['ids', 'contexts', 'answers'] as const) {
		counts.positives[source] += bySource[source].filter(({id}) => found.has(id)).length;
	}
	return questions.flatMap(question => {
		const positives = found.get(question.id);
		return positives === undefined ? [] : [{question, answers: question.answers ?? [], positives}];
	});
}

/** Returns how the positives of a question are found, or `undefined` if it does not have what is needed. */
function sourceOf(question: TrainingQuestion, source: PositiveSource): Exclude<PositiveSource, 'auto'> | undefined {
	const has = {
		ids: (question.positives?.length ?? 0) > 0,
		contexts: question.context !== undefined,
		answers: (question.answers?.length ?? 0) > 0,
	};
	return (['ids', 'contexts', 'answers'] as const).find(each => has[each] && (source === 'auto' || source === each));
}

/** Returns the given positives that are passages of the corpus. */
async function knownPositives(
	questions: readonly TrainingQuestion[],
	corpus: MiningCorpus,
	counts: MiningCounts,
): Promise<Map<string, readonly string[]>> {
	const found = new Map<string, readonly string[]>();
	const known = await corpus.known(questions.flatMap(({positives}) => positives!));
	for (const {id, positives} of questions) {
		const distinct = [...new Set(positives)];
		const present = distinct.filter(passage => known.has(passage));
		counts.unknownIds += distinct.length - present.length;
		if (present.length === 0) {
			counts.drop(id, 'unknownIds');
		} else {
			found.set(id, present);
		}
	}
	return found;
}

/**
Distant supervision (Karpukhin et al., 2020, §4.2 and appendix A): searches for the question together with its first answer. The first of the
best `supervisionDepth` passages that contains an accepted answer is the positive.
*/
async function superviseByAnswers(
	questions: readonly TrainingQuestion[],
	corpus: MiningCorpus,
	{supervisionDepth, answerKind, signal}: CheckedMiningOptions,
	counts: MiningCounts,
): Promise<Map<string, readonly string[]>> {
	const found = new Map<string, readonly string[]>();
	if (questions.length === 0) {
		return found;
	}
	const bm25 = await corpus.bm25();
	const queries = questions.map(({id, text, answers}) => ({id, text: `${text} ${answers![0]!}`}));
	const run = await bm25.searchMany(queries, {k: supervisionDepth, signal});
	const judge = new native.AnswerJudge([await nativeRun(run)], corpus.texts, supervisionDepth, answerKind === 'pattern');
	for (const {id, answers} of questions) {
		await yieldIfOverBudget();
		judge.add(id, [...answers!]);
	}
	const ranks = await callNative({signal}, async control => judge.firstRanks(control));
	for (const [i, {id}] of questions.entries()) {
		await yieldIfOverBudget();
		const rank = ranks[i]!;
		if (rank === 0) {
			counts.drop(id, 'noPassageWithAnswer');
		} else {
			found.set(id, [hitsFor(run, id)[rank - 1]!.id]);
		}
	}
	return found;
}
