import {join} from 'node:path';
import type {PassageStore} from '../../../corpus/index.ts';
import {isThere, json, readJson, writeWhole} from '../../storage/run-folder.ts';
import type {CallOptions, Qrels, Question, Run} from '../../../core/types.ts';
import {
	type ProjectedEncoders,
	type QuestionPassage,
	analyzeVocabulary,
	foundBySparse,
	rankPairs,
	tokenAmnesia,
} from '../../../vocabulary/index.ts';
import {type QuestionValues, questionValues} from '../findings/question-values.ts';
import type {AnalyzedEncoder, EncoderAnalysis, VocabularySettings} from '../study.ts';

/** Questions with the passages that analyses are of. */
export interface AnalysedPairs {
	/** With gold passages: Figures 3, 4 and 6, Table 2. */
	readonly gold: readonly QuestionPassage[];
	/** With the passages by which BM25 answers them: Figures 5 and 7. */
	readonly sparse: readonly QuestionPassage[];
}

/** `gold`: question id → passage id. */
export async function analysedPairs(
	questions: readonly Question[],
	gold: ReadonlyMap<string, string>,
	bm25: Run,
	qrels: Qrels,
	passages: PassageStore,
	sparseDepth: number,
): Promise<AnalysedPairs> {
	const paired = async (of: ReadonlyMap<string, string>): Promise<QuestionPassage[]> => {
		const asked = questions.filter(({id}) => of.has(id));
		const found = await passages.get(asked.map(({id}) => of.get(id)!));
		return asked.map(({id, text}, i) => ({id, question: text, passage: found[i]!}));
	};
	return {gold: await paired(gold), sparse: await paired(foundBySparse(bm25, qrels, sparseDepth))};
}

/** The analyses of one encoder, and the values of single questions that tests compare. */
export interface AnalysedQuestions {
	readonly analysis: EncoderAnalysis;
	readonly values: QuestionValues;
}

/** The analyses of one encoder; from the folder if they are there. `dense` is the run that token amnesia is split by. */
export async function analysed(
	of: AnalyzedEncoder,
	{gold, sparse}: AnalysedPairs,
	encoders: () => Promise<ProjectedEncoders>,
	dense: Run,
	{bounds}: VocabularySettings,
	folder: string,
	{signal, onProgress}: CallOptions,
): Promise<AnalysedQuestions> {
	const path = join(folder, `${of}.json`);
	if (await isThere(path)) {
		return readJson<AnalysedQuestions>(path);
	}
	const opened = await encoders();
	const total = gold.length + sparse.length;
	const ranked = async (pairs: readonly QuestionPassage[], before: number): ReturnType<typeof rankPairs> =>
		rankPairs(pairs, opened, {signal, onProgress: onProgress && (({done}) => onProgress({done: before + done, total}))});
	const [ofGold, ofSparse] = [await ranked(gold, 0), await ranked(sparse, gold.length)];
	const result: AnalysedQuestions = {
		analysis: {of, analysis: await analyzeVocabulary(ofGold), amnesia: await tokenAmnesia(ofSparse, dense, bounds)},
		values: await questionValues(ofGold, ofSparse, dense, bounds),
	};
	await writeWhole(path, json(result));
	return result;
}
