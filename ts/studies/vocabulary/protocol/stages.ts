/**
The stages of a vocabulary study (Ram et al., 2023). `measureVocabulary` builds the collection with its BM25 index,
determines relevant passages, retrieves with BM25 on word pieces and with the encoder, analyzes projections, fits
lexical enrichment and its ablations, and measures all conditions.
*/
import {basename} from 'node:path';
import {packageVersion} from '../../../core/native/addon.ts';
import type {Encoder, Searcher} from '../../../core/types.ts';
import type {Collection} from '../../../collection/index.ts';
import {OnnxEncoder} from '../../../encoders/index.ts';
import {Bm25Index} from '../../../sparse/index.ts';
import {VocabularyProjection} from '../../../vocabulary/index.ts';
import {goldPassages} from '../../dataset/relevance.ts';
import {CorpusEncoder} from '../../encoding/corpus-encoder.ts';
import {
	type JudgedDataset,
	type JudgedInputs,
	type JudgedQuestions,
	corpusMeasures,
	judgeDataset,
	judgedConfiguration,
	qrelsInput,
	splitJudged,
} from '../../engine/judged-study.ts';
import {DEFAULT_ENCODER} from '../../engine/options.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {mrrMeasure, ndcgMeasure, topK} from '../../statistics/measures.ts';
import type {StudyModel} from '../../storage/inputs.ts';
import {exists, runFiles} from '../../storage/run-folder.ts';
import {vocabularyExamples} from '../examples/examples.ts';
import {amnesiaTests, claimTests} from '../findings/claim-tests.ts';
import type {QuestionValues} from '../findings/question-values.ts';
import {type VocabularyStudyOptions, cutOffs} from '../options.ts';
import {groupLabel, rankGroups} from '../rank-groups.ts';
import {
	type AnalyzedEncoder,
	type Baseline,
	type EncoderAnalysis,
	type EnrichmentOutcome,
	type VocabularyCondition,
	type VocabularySettings,
	type VocabularyStudy,
	vocabularyStudyFormat,
} from '../study.ts';
import {analyzeEncoder, analyzedPairs} from './analyses.ts';
import {type EnrichmentParts, enrichedConditions, enrichmentOutcome, exactSearcher, staticEncoder, tunedEnrichment} from './enrichment.ts';
import {type ConditionRun, measureRetrieval} from './retrieval.ts';

export interface VocabularyStudyInputs extends JudgedInputs {
	readonly settings: VocabularySettings;
	/** `model` is the name of the head that the caller gave, or the default; `folder` is where it was found. */
	readonly head: StudyModel & {readonly model: string; readonly folder: string};
	readonly baseline: Baseline;
}

/**
Folders in the folder of the study run: the BM25 index of word pieces, the vectors of the corpus, and the analyses of
encoders.
*/
const folders = {wordPieces: 'bm25-wordpiece', vectors: 'vectors', analyses: 'analyses'} as const;

/** The measure that λ, the weight of enrichment, is chosen by. It depends on how relevant passages are determined. */
const tunedFor = {qrels: ndcgMeasure, contexts: mrrMeasure, answers: topK(20)} as const;

/** Carries out all stages and returns the results. */
export async function measureVocabulary(
	run: StudyRun,
	inputs: VocabularyStudyInputs,
	options: VocabularyStudyOptions,
): Promise<VocabularyStudy> {
	const {settings, files, baseline, corpus: corpusFile, allQuestions} = inputs;
	const {encoder: encoderName = DEFAULT_ENCODER, questionEncoder: questionEncoderName, enrichment = true} = options;
	const {signal} = run;
	const head: StudyModel = {name: inputs.head.name, sha256: inputs.head.sha256};
	await run.start({format: vocabularyStudyFormat, ...judgedConfiguration(inputs), head, baseline, enrichment, settings});
	await using collection = await run.textCollection(files.corpus);
	const {passages} = collection;
	const dataset = await judgeDataset(run, inputs, collection, {bm25Name: 'bm25', depth: settings.depth});
	const {corpus, judgments} = dataset;
	const gold = goldPassages(judgments.qrels, corpus.ids);
	const judged = splitJudged(inputs, dataset, gold, settings.seed);
	const {split, questions, qrels} = judged;
	const testIds = new Set(split.test);
	const pairs = await analyzedPairs(
		questions.filter(({id}) => testIds.has(id)),
		gold,
		dataset.bm25,
		qrels,
		passages,
		settings.sparseDepth,
	);

	const search = async (name: string, open: () => Searcher | Promise<Searcher>): ReturnType<StudyRun['search']> =>
		run.search(name, open, {queries: allQuestions, k: settings.depth});
	await using wordPieces = await openWordPieces(run, collection, inputs.head.folder);
	const wordPieceRun = await search('wordpiece', () => wordPieces);
	const projection = await VocabularyProjection.load(inputs.head.model);
	await using passageEncoder = await OnnxEncoder.load(encoderName, {signal});
	await using questionEncoder = questionEncoderName === undefined ? passageEncoder : await OnnxEncoder.load(questionEncoderName, {signal});
	const encoder = await CorpusEncoder.open({
		folder: run.path(folders.vectors, 'encoder'),
		passages,
		encoder: passageEncoder,
		questionEncoder,
		...run.stage('encode encoder'),
	});
	const dense = await search('dense', async () => exactSearcher(encoder, passages, signal));
	const runs = new Map<VocabularyCondition, ConditionRun>([
		['bm25', {run: dataset.bm25}],
		['wordpiece', {run: wordPieceRun}],
		['dense', {run: dense}],
	]);

	const analyses: EncoderAnalysis[] = [];
	const values = new Map<AnalyzedEncoder, QuestionValues>();
	const analyze = async (of: AnalyzedEncoder, open: () => Encoder | Promise<Encoder>): Promise<void> => {
		const openEncoders = async (): Promise<{encoder: Encoder; projection: VocabularyProjection}> => ({encoder: await open(), projection});
		const parts = {of, pairs, openEncoders, dense, bounds: settings.bounds, folder: run.path(folders.analyses)};
		const analyzed = await analyzeEncoder(parts, run.stage(`project ${of}`));
		analyses.push(analyzed.analysis);
		values.set(of, analyzed.values);
	};
	await analyze('encoder', () => encoder);
	await using initialization = options.baseline === undefined ? undefined : await OnnxEncoder.load(options.baseline, {signal});
	await analyze('baseline', async () => initialization ?? staticEncoder(projection, signal));
	let outcome: EnrichmentOutcome | undefined;
	if (enrichment) {
		const parts = enrichmentParts(inputs, {dataset, judged, collection, encoder, projection, wordPieces});
		for (const condition of enrichedConditions) {
			const tuned = await tunedEnrichment(condition, parts, run.stage(`enrich ${condition}`));
			const hits = await search(condition, async () => exactSearcher(tuned.enrichment, passages, signal));
			runs.set(condition, {run: hits, tuning: tuned.tuning});
			if (condition === 'enriched') {
				outcome = enrichmentOutcome(tuned.enrichment);
				if (tuned.tuning.lambda > 0) {
					await analyze('enriched', () => tuned.enrichment);
				}
			}
		}
	}

	const {from} = judgments;
	const measures = corpusMeasures(judgments, judged, collection, {
		ks: cutOffs,
		ndcg: from === 'qrels',
		answerKind: inputs.answerKind,
		signal,
	});
	const qrelsFile = qrelsInput(inputs, judged);
	const groups = rankGroups(settings.bounds);
	return {
		format: vocabularyStudyFormat,
		dataset: inputs.name,
		passagekit: packageVersion(),
		corpus: {count: passages.size, name: basename(files.corpus), ...corpusFile, words: corpus.words},
		questions: {
			development: split.development.length,
			test: split.test.length,
			without: allQuestions.length - questions.length,
			files: inputs.questionFiles,
			split: split.by,
			relevance: from,
			...(qrelsFile && {qrels: qrelsFile}),
		},
		encoder: inputs.encoder,
		...(inputs.questionEncoder && {questionEncoder: inputs.questionEncoder}),
		head: {...head, vocabulary: projection.size},
		baseline,
		settings,
		...(outcome && {enrichment: outcome}),
		analyses,
		tests: {
			claims: await claimTests(values, baseline, settings, {signal}),
			amnesia: await amnesiaTests(values.get('encoder')!, group => groupLabel(groups[group]!), settings, {signal}),
		},
		examples: await vocabularyExamples(pairs, values.get('encoder')!, dense, settings.seed, {encoder, projection}, {signal}),
		retrieval: await measureRetrieval(runs, measures, tunedFor[from], split.test, settings, {signal}),
		command: run.command,
	};
}

/**
Opens the BM25 index of the head's word pieces, or builds it. The index is complete if the TREC run of its hits exists,
because it is built before it is searched. `tokenizer` is the folder of the head.
*/
async function openWordPieces(run: StudyRun, {passages}: Collection, tokenizer: string): Promise<Bm25Index> {
	const path = run.path(folders.wordPieces);
	return (await exists(run.path(runFiles.runs, 'wordpiece.trec')))
		? Bm25Index.open(path)
		: Bm25Index.build(path, passages, {analyzer: {type: 'wordpiece', tokenizer}, signal: run.signal});
}

/** What `enrichmentParts` takes from the earlier stages. */
interface EnrichmentSources extends Pick<EnrichmentParts, 'encoder' | 'projection' | 'wordPieces'> {
	readonly dataset: JudgedDataset;
	readonly judged: JudgedQuestions;
	readonly collection: Collection;
}

/** Returns what enrichment is made from, including the objective that λ maximizes on development questions. */
function enrichmentParts(
	{allQuestions, answerKind, settings}: VocabularyStudyInputs,
	{dataset, judged, collection, encoder, projection, wordPieces}: EnrichmentSources,
): EnrichmentParts {
	const {from} = dataset.judgments;
	const developmentIds = new Set(judged.split.development);
	const development = allQuestions.filter(({id}) => developmentIds.has(id));
	return {
		encoder,
		passages: collection.passages,
		projection,
		wordPieces,
		objective:
			from === 'answers'
				? {questions: development, k: 20, answerKind}
				: {queries: development, qrels: judged.qrels, measure: from === 'qrels' ? 'nDCG@10' : 'RR', k: settings.depth},
		search: {learningRate: settings.learningRate, maxSteps: settings.maxSteps},
		lambdas: settings.lambdas,
	};
}
