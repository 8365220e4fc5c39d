/**
Analyzes the projections of one encoder, and stores the analysis in a file so that a resumed study does not repeat it.
*/
import {join} from 'node:path';
import type {CallOptions, Qrels, Question, Run} from '../../../core/types.ts';
import type {PassageStore} from '../../../corpus/index.ts';
import {
	type ProjectedEncoders,
	type QuestionPassage,
	type RankedPair,
	analyzeVocabulary,
	foundBySparse,
	rankPairs,
	tokenAmnesia,
} from '../../../vocabulary/index.ts';
import {exists, readJson, toJson, writeAtomically} from '../../storage/run-folder.ts';
import {type QuestionValues, questionValues} from '../findings/question-values.ts';
import type {AnalyzedEncoder, EncoderAnalysis} from '../study.ts';

/** The pairs of questions and passages that are analyzed. Figures and tables are those of Ram et al. (2023). */
export interface AnalyzedPairs {
	/** Questions with their gold passages, for Figures 3, 4 and 6 and Table 2. */
	readonly gold: readonly QuestionPassage[];
	/** Questions with the first relevant passage that BM25 finds, for Figures 5 and 7. */
	readonly sparse: readonly QuestionPassage[];
}

/**
Returns the pairs. `gold` maps question ids to passage ids. `sparseDepth` is the number of BM25 hits among which a
relevant passage is looked for.
*/
export async function analyzedPairs(
	questions: readonly Question[],
	gold: ReadonlyMap<string, string>,
	bm25: Run,
	qrels: Qrels,
	passages: PassageStore,
	sparseDepth: number,
): Promise<AnalyzedPairs> {
	const pairsOf = async (passageIds: ReadonlyMap<string, string>): Promise<QuestionPassage[]> => {
		const paired = questions.filter(({id}) => passageIds.has(id));
		const found = await passages.get(paired.map(({id}) => passageIds.get(id)!));
		return paired.map(({id, text}, i) => ({id, question: text, passage: found[i]!}));
	};
	return {gold: await pairsOf(gold), sparse: await pairsOf(foundBySparse(bm25, qrels, sparseDepth))};
}

/** The analysis of one encoder, and each question's values, which tests compare. */
export interface AnalyzedQuestions {
	readonly analysis: EncoderAnalysis;
	readonly values: QuestionValues;
}

/** The arguments of `analyzeEncoder`. */
export interface AnalysisParts {
	/** Which encoder is analyzed. */
	readonly of: AnalyzedEncoder;
	readonly pairs: AnalyzedPairs;
	/** Opens the encoders. Called only if the analysis is not in the folder yet. */
	readonly openEncoders: () => Promise<ProjectedEncoders>;
	/**
	The run of dense retrieval. Token amnesia is measured in groups of questions: the rank of a question's passage in this
	run determines its group.
	*/
	readonly dense: Run;
	/** The last rank of each group, except for the last group, which has all later ranks. */
	readonly bounds: readonly number[];
	/** The folder in which the analysis is stored. */
	readonly folder: string;
}

/** Analyzes an encoder, or reads the analysis from its file. Progress counts pairs. */
export async function analyzeEncoder(parts: AnalysisParts, {signal, onProgress}: CallOptions): Promise<AnalyzedQuestions> {
	const {of, pairs, openEncoders, dense, bounds, folder} = parts;
	const path = join(folder, `${of}.json`);
	if (await exists(path)) {
		return readJson<AnalyzedQuestions>(path);
	}
	const encoders = await openEncoders();
	const total = pairs.gold.length + pairs.sparse.length;
	const rank = async (pairs: readonly QuestionPassage[], doneBefore: number): Promise<readonly RankedPair[]> =>
		rankPairs(pairs, encoders, {signal, onProgress: onProgress && (({done}) => onProgress({done: doneBefore + done, total}))});
	const [gold, sparse] = [await rank(pairs.gold, 0), await rank(pairs.sparse, pairs.gold.length)];
	const {groups, withoutSharedCount} = await tokenAmnesia(sparse, dense, bounds);
	const result: AnalyzedQuestions = {
		analysis: {of, analysis: await analyzeVocabulary(gold), amnesia: {groups, without: withoutSharedCount}},
		values: await questionValues(gold, sparse, dense, bounds),
	};
	await writeAtomically(path, toJson(result));
	return result;
}
