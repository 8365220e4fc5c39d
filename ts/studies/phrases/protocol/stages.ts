/**
The stages of a phrase study. `measurePhrases` builds the collection with its BM25 index, judges relevance, draws
candidates, builds the models, ranks candidates and all passages with each model, and evaluates the fusion of the models
on both kinds of rankings. A model is an index of phrases of one length.
*/
import {basename} from 'node:path';
import {packageVersion} from '../../../core/native/addon.ts';
import type {Run, Searcher} from '../../../core/types.ts';
import type {Collection} from '../../../collection/index.ts';
import {OnnxEncoder, Tokenizer} from '../../../encoders/index.ts';
import {type CandidateLists, type FilteredSearcher, candidateLists, rankCandidates} from '../../../evaluation/index.ts';
import {type PhraseHit, PhraseSearcher} from '../../../phrases/index.ts';
import {toRunHit} from '../../../phrases/phrase-searcher.ts';
import {wordCount} from '../../dataset/corpus-statistics.ts';
import {QuestionEncoder} from '../../encoding/question-encoder.ts';
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
import {mean} from '../../statistics/mean.ts';
import {type PhraseStudyOptions, cutOffs} from '../options.ts';
import {type PhraseModelStatistics, type PhraseSettings, type PhraseStudy, phraseStudyFormat} from '../study.ts';
import {type FusionTask, studyFusion} from './fusion-protocol.ts';
import {meanPassageTokens, meanTokens} from './lengths.ts';
import {candidateMeasures} from './measures.ts';
import type {ScoredRun} from './outcomes.ts';
import {type PhraseModel, openModel} from './phrase-models.ts';

/** The inputs of a phrase study, with its settings and models. */
export interface PhraseStudyInputs extends JudgedInputs {
	readonly settings: PhraseSettings;
	readonly models: readonly PhraseModel[];
}

/** Folders of the models and of the rankings of candidates, in the folder of the study run. */
const folders = {models: 'models', candidateRuns: 'candidates'} as const;

/** Carries out all stages of a phrase study whose results are not stored in the folder of the study run yet. */
export async function measurePhrases(run: StudyRun, inputs: PhraseStudyInputs, options: PhraseStudyOptions): Promise<PhraseStudy> {
	const {settings, models, files, corpus: corpusFile} = inputs;
	const {encoder: encoderName = DEFAULT_ENCODER} = options;
	const {signal} = run;
	await run.start({format: phraseStudyFormat, ...judgedConfiguration(inputs), models, settings});
	await using collection = await run.textCollection(files.corpus);
	const {passages} = collection;
	const dataset = await judgeDataset(run, inputs, collection, {bm25Name: 'BM25', depth: settings.depth});
	const {corpus, judgments} = dataset;
	const candidates = await drawCandidates(run, inputs, collection, dataset);
	const gold = new Map([...candidates.lists].map(([id, {gold}]) => [id, gold]));
	const judged = splitJudged(inputs, dataset, gold, settings.seed);
	const {split, questions, qrels} = judged;

	const runs = await searchModels(run, inputs, {collection, dataset, candidates, judged, options});
	const hasGrades = [...judgments.qrels.values()].some(grades => [...grades.values()].some(grade => grade > 1));
	const forBothTasks = {development: split.development, test: split.test, k: settings.depth};
	const amongAll: FusionTask = {
		...runs.amongAll,
		...forBothTasks,
		...corpusMeasures(judgments, judged, collection, {ks: cutOffs, ndcg: hasGrades, answerKind: inputs.answerKind, signal}),
	};
	const amongCandidates: FusionTask = {...runs.amongCandidates, ...forBothTasks, ...candidateMeasures(candidates, {signal})};
	const tokenizer = await Tokenizer.load(encoderName, {signal});
	const qrelsFile = qrelsInput(inputs, judged);
	const texts = questions.map(({text}) => text);
	return {
		format: phraseStudyFormat,
		dataset: inputs.name,
		passagekit: packageVersion(),
		corpus: {
			count: passages.size,
			name: basename(files.corpus),
			...corpusFile,
			words: corpus.words,
			tokens: await meanPassageTokens(tokenizer, passages, signal),
		},
		questions: {
			development: split.development.length,
			test: split.test.length,
			without: candidates.withoutRelevantCount,
			words: mean(texts.map(wordCount)),
			tokens: await meanTokens(tokenizer, texts, signal),
			files: inputs.questionFiles,
			split: split.by,
		},
		relevance: {
			from: judgments.from,
			...(qrelsFile && {file: qrelsFile}),
			perQuestion: mean([...qrels.values()].map(grades => [...grades].filter(([id, grade]) => grade > 0 && corpus.ids.has(id)).length)),
			graded: hasGrades,
		},
		encoder: inputs.encoder,
		...(inputs.questionEncoder && {questionEncoder: inputs.questionEncoder}),
		settings,
		models: runs.statistics,
		candidates: {
			size: candidates.size,
			short: candidates.shortListCount,
			...(await studyFusion(amongCandidates, settings, run.stage('fuse candidates'))),
		},
		retrieval: await studyFusion(amongAll, settings, run.stage('fuse all')),
		command: run.command,
	};
}

/** Draws the candidates of each question: its gold passage, hard negatives from BM25, and random passages. */
async function drawCandidates(
	run: StudyRun,
	{allQuestions, settings}: PhraseStudyInputs,
	{bm25}: Collection,
	{corpus, bm25: bm25Run, judgments}: JudgedDataset,
): Promise<CandidateLists> {
	const {seed, negatives, random, depth} = settings;
	const maxRelevant = [...judgments.qrels.values()].reduce((max, {size}) => Math.max(max, size), 0);
	// BM25's stored run suffices if its lists are long enough for all relevant passages and the negatives. Otherwise
	// BM25 searches again.
	const negativesFrom: Run | Searcher = maxRelevant + negatives <= depth ? bm25Run : bm25;
	return candidateLists(allQuestions, judgments.qrels, negativesFrom, corpus.order, {
		seed,
		negatives,
		random,
		isRelevant: judgments.isRelevant,
		...run.stage('candidates'),
	});
}

/** What earlier stages have determined, for `searchModels`. */
interface SearchParts {
	readonly collection: Collection;
	readonly dataset: JudgedDataset;
	readonly candidates: CandidateLists;
	readonly judged: JudgedQuestions;
	readonly options: PhraseStudyOptions;
}

/**
The hits of BM25 and of each model: among all passages, for all questions; or among candidates, for the questions that
have a gold passage.
*/
interface ModelRuns {
	readonly bm25: Run;
	readonly models: Map<string, ScoredRun>;
}

/** The rankings by all models, and what is known about each model. */
interface FoundRuns {
	readonly amongAll: ModelRuns;
	readonly amongCandidates: ModelRuns;
	readonly statistics: readonly PhraseModelStatistics[];
}

/** Builds one model after another, ranks all passages and the candidates with it, and closes it. */
async function searchModels(
	run: StudyRun,
	{settings, models, allQuestions}: PhraseStudyInputs,
	{collection, dataset, candidates, judged, options}: SearchParts,
): Promise<FoundRuns> {
	const {encoder: encoderName = DEFAULT_ENCODER, questionEncoder: questionEncoderName} = options;
	const {signal} = run;
	const {passages} = collection;
	const rank = async (name: string, searcher: FilteredSearcher): Promise<Run> =>
		run.trecRun(name, async () => rankCandidates(searcher, judged.questions, candidates, run.stage(`candidates ${name}`)), {
			folder: folders.candidateRuns,
		});
	const amongCandidates: ModelRuns = {bm25: await rank('BM25', collection.bm25), models: new Map()};
	const amongAll: ModelRuns = {bm25: dataset.bm25, models: new Map()};
	const statistics: PhraseModelStatistics[] = [];
	await using encoder = await OnnxEncoder.load(encoderName, {signal});
	await using loadedQuestionEncoder = questionEncoderName === undefined ? encoder : await OnnxEncoder.load(questionEncoderName, {signal});
	const questionEncoder = new QuestionEncoder(loadedQuestionEncoder);
	const usesPhrases = settings.confidenceOf === 'phrases';
	const maxPhrases = settings.confidenceDepth;
	for (const model of models) {
		const {name} = model;
		await using opened = await openModel(model, {
			folder: run.path(folders.models),
			passages,
			encoder,
			tokenizer: encoderName,
			questionEncoder: questionEncoderName === undefined ? undefined : loadedQuestionEncoder.identity,
			...run.stage(`encode ${name}`),
		});
		statistics.push(opened.statistics);
		const searcher = new PhraseSearcher({encoder: questionEncoder, index: opened.index, unnormalizedIndex: opened.unnormalizedIndex});
		const hits = await run.search(name, () => searcher, {queries: allQuestions, k: settings.depth});
		const ranked = await rank(name, searcher);
		const phraseScores = async (): Promise<Run> =>
			run.trecRun(`${name}.phrases`, async () => {
				// No passages (k = 0), only phrases.
				const call = {k: 0, maxPhrases, ...run.stage(`phrases ${name}`)};
				return (await searcher.searchManyWithPhrases(allQuestions, call)).phrases;
			});
		const candidatePhraseScores = async (): Promise<Run> =>
			run.trecRun(
				`${name}.phrases`,
				async () =>
					namedByPhrase(
						await rankCandidates(
							phraseSearcher(searcher, maxPhrases),
							judged.questions,
							candidates,
							run.stage(`candidate phrases ${name}`),
						),
					),
				{folder: folders.candidateRuns},
			);
		amongAll.models.set(name, {run: hits, scores: usesPhrases ? await phraseScores() : hits});
		amongCandidates.models.set(name, {run: ranked, scores: usesPhrases ? await candidatePhraseScores() : ranked});
	}
	return {amongAll, amongCandidates, statistics};
}

/** Searches for the best phrases instead of passages. Their hits have the ids of the passages that contain them. */
function phraseSearcher(searcher: PhraseSearcher, maxPhrases: number): FilteredSearcher {
	return {search: async (query, {filter, signal}) => (await searcher.searchWithPhrases(query, {k: 0, maxPhrases, filter, signal})).phrases};
}

/** Replaces passage ids with phrase ids, because a list of phrases may contain several phrases of one passage. */
function namedByPhrase(run: Run): Run {
	return new Map([...run].map(([id, hits]) => [id, (hits as readonly PhraseHit[]).map(toRunHit)]));
}
