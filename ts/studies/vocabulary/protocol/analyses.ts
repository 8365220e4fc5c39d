/** The analyses of projections, for one encoder at a time. Each is kept in a file. */
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

/** Questions with the passages that are analyzed. */
export interface AnalyzedPairs {
	/** With their gold passages: Figures 3, 4 and 6, Table 2. */
	readonly gold: readonly QuestionPassage[];
	/** With relevant passages that BM25 finds: Figures 5 and 7. */
	readonly sparse: readonly QuestionPassage[];
}

/** `gold`: question id → passage id. */
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

/** The analysis of one encoder, and the values of single questions that tests compare. */
export interface AnalyzedQuestions {
	readonly analysis: EncoderAnalysis;
	readonly values: QuestionValues;
}

export interface AnalysisParts {
	readonly of: AnalyzedEncoder;
	readonly pairs: AnalyzedPairs;
	/** Called only if the analysis is not in the folder yet. */
	readonly openEncoders: () => Promise<ProjectedEncoders>;
	/** The run whose ranks of the passages determine the groups of token amnesia. */
	readonly dense: Run;
	/** The last ranks of these groups. */
	readonly bounds: readonly number[];
	readonly folder: string;
}

export async function analyzeEncoder(parts: AnalysisParts, {signal, onProgress}: CallOptions): Promise<AnalyzedQuestions> {
	const {of, pairs, openEncoders, dense, bounds, folder} = parts;
	const path = join(folder, `${of}.json`);
	if (await exists(path)) {
		return readJson<AnalyzedQuestions>(path);
	}
	const encoders = await openEncoders();
	const total = pairs.gold.length + pairs.sparse.length;
	const rank = async (pairs: readonly QuestionPassage[], before: number): Promise<readonly RankedPair[]> =>
		rankPairs(pairs, encoders, {signal, onProgress: onProgress && (({done}) => onProgress({done: before + done, total}))});
	const [gold, sparse] = [await rank(pairs.gold, 0), await rank(pairs.sparse, pairs.gold.length)];
	const result: AnalyzedQuestions = {
		analysis: {of, analysis: await analyzeVocabulary(gold), amnesia: await tokenAmnesia(sparse, dense, bounds)},
		values: await questionValues(gold, sparse, dense, bounds),
	};
	await writeAtomically(path, toJson(result));
	return result;
}
