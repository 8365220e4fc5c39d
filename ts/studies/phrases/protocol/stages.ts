/** The stages of a phrase study: collection and BM25, judgments and candidates, the models, their fusion among candidates and among all passages. */
import {basename} from 'node:path';
import {packageVersion} from '../../../core/native/addon.ts';
import type {Run, Searcher} from '../../../core/types.ts';
import type {Collection} from '../../../collection/index.ts';
import {OnnxEncoder, Tokenizer} from '../../../encoders/index.ts';
import {type CandidateLists, type FilteredSearcher, candidateLists, rankCandidates} from '../../../evaluation/index.ts';
import {type PhraseHit, PhraseSearcher} from '../../../phrases/index.ts';
import {phraseNamed} from '../../../phrases/phrase-searcher.ts';
import {wordCount} from '../../dataset/corpus-statistics.ts';
import {QuestionEncoder} from '../../encoding/question-encoder.ts';
import {
	type JudgedDataset,
	type JudgedInputs,
	type QuestionSides,
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

export interface PhraseStudyInputs extends JudgedInputs {
	readonly settings: PhraseSettings;
	readonly models: readonly PhraseModel[];
}

/** Folders of a run. */
const folders = {models: 'models', candidateRuns: 'candidates'} as const;

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
	const sides = splitJudged(inputs, dataset, gold, settings.seed);
	const {split, questions, qrels} = sides;

	const found = await searchModels(run, inputs, {collection, dataset, candidates, sides, options});
	const hasGrades = [...judgments.qrels.values()].some(grades => [...grades.values()].some(grade => grade > 1));
	const common = {development: split.development, test: split.test, k: settings.depth};
	const amongAll: FusionTask = {
		...found.amongAll,
		...common,
		...corpusMeasures(judgments, sides, collection, {ks: cutOffs, ndcg: hasGrades, signal}),
	};
	const amongCandidates: FusionTask = {...found.amongCandidates, ...common, ...candidateMeasures(candidates, {signal})};
	const tokenizer = await Tokenizer.load(encoderName, {signal});
	const qrelsFile = qrelsInput(inputs, sides);
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
			without: candidates.without,
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
		models: found.statistics,
		candidates: {
			size: candidates.size,
			short: candidates.short,
			...(await studyFusion(amongCandidates, settings, run.stage('fuse candidates'))),
		},
		retrieval: await studyFusion(amongAll, settings, run.stage('fuse all')),
		command: run.command,
	};
}

/** Each question's gold passage, with hard negatives from BM25 and random passages. */
async function drawCandidates(
	run: StudyRun,
	{allQuestions, settings}: PhraseStudyInputs,
	{bm25}: Collection,
	{corpus, bm25: bm25Run, judgments}: JudgedDataset,
): Promise<CandidateLists> {
	const {seed, negatives, random, depth} = settings;
	const maxRelevant = [...judgments.qrels.values()].reduce((max, {size}) => Math.max(max, size), 0);
	// BM25's run if it is deep enough for all relevant passages and the negatives.
	const negativesFrom: Run | Searcher = maxRelevant + negatives <= depth ? bm25Run : bm25;
	return candidateLists(allQuestions, judgments.qrels, negativesFrom, corpus.order, {
		seed,
		negatives,
		random,
		isRelevant: judgments.isRelevant,
		...run.stage('candidates'),
	});
}

interface SearchParts {
	readonly collection: Collection;
	readonly dataset: JudgedDataset;
	readonly candidates: CandidateLists;
	readonly sides: QuestionSides;
	readonly options: PhraseStudyOptions;
}

/** The hits of BM25 and of each model. */
interface ModelRuns {
	readonly bm25: Run;
	readonly models: Map<string, ScoredRun>;
}

interface FoundRuns {
	readonly amongAll: ModelRuns;
	readonly amongCandidates: ModelRuns;
	readonly statistics: readonly PhraseModelStatistics[];
}

/** Builds each model, ranks all passages and the candidates with it, and closes it again. */
async function searchModels(
	run: StudyRun,
	{settings, models, allQuestions}: PhraseStudyInputs,
	{collection, dataset, candidates, sides, options}: SearchParts,
): Promise<FoundRuns> {
	const {encoder: encoderName = DEFAULT_ENCODER, questionEncoder: questionEncoderName} = options;
	const {signal} = run;
	const {passages} = collection;
	const rank = async (name: string, searcher: FilteredSearcher): Promise<Run> =>
		run.trecRun(name, async () => rankCandidates(searcher, sides.questions, candidates, run.stage(`candidates ${name}`)), {
			folder: folders.candidateRuns,
		});
	const amongCandidates: ModelRuns = {bm25: await rank('BM25', collection.bm25), models: new Map()};
	const amongAll: ModelRuns = {bm25: dataset.bm25, models: new Map()};
	const statistics: PhraseModelStatistics[] = [];
	await using encoder = await OnnxEncoder.load(encoderName, {signal});
	await using ofQuestions = questionEncoderName === undefined ? encoder : await OnnxEncoder.load(questionEncoderName, {signal});
	const questionEncoder = new QuestionEncoder(ofQuestions);
	const usesPhrases = settings.confidenceOf === 'phrases';
	const maxPhrases = settings.confidenceDepth;
	for (const model of models) {
		const {name} = model;
		await using opened = await openModel(model, {
			folder: run.path(folders.models),
			passages,
			encoder,
			tokenizer: encoderName,
			questionEncoder: questionEncoderName === undefined ? undefined : ofQuestions.identity,
			...run.stage(`encode ${name}`),
		});
		statistics.push(opened.statistics);
		const searcher = new PhraseSearcher({encoder: questionEncoder, index: opened.index, undivided: opened.undivided});
		const hits = await run.search(name, () => searcher, {queries: allQuestions, k: settings.depth});
		const ranked = await rank(name, searcher);
		const phraseScores = async (): Promise<Run> =>
			run.trecRun(`${name}.phrases`, async () => {
				const call = {k: 0, maxPhrases, ...run.stage(`phrases ${name}`)};
				return (await searcher.searchManyWithPhrases(allQuestions, call)).phrases;
			});
		const candidatePhraseScores = async (): Promise<Run> =>
			run.trecRun(
				`${name}.phrases`,
				async () =>
					namedByPhrase(
						await rankCandidates(phraseSearcher(searcher, maxPhrases), sides.questions, candidates, run.stage(`candidate phrases ${name}`)),
					),
				{folder: folders.candidateRuns},
			);
		amongAll.models.set(name, {run: hits, scores: usesPhrases ? await phraseScores() : hits});
		amongCandidates.models.set(name, {run: ranked, scores: usesPhrases ? await candidatePhraseScores() : ranked});
	}
	return {amongAll, amongCandidates, statistics};
}

/** Finds the best phrases instead of passages; their hits have the ids of their passages. */
function phraseSearcher(searcher: PhraseSearcher, maxPhrases: number): FilteredSearcher {
	return {search: async (query, {filter, signal}) => (await searcher.searchWithPhrases(query, {k: 0, maxPhrases, filter, signal})).phrases};
}

/** A run whose hits have ids of phrases, because a list may have several phrases of one passage. */
function namedByPhrase(run: Run): Run {
	return new Map([...run].map(([id, hits]) => [id, (hits as readonly PhraseHit[]).map(phraseNamed)]));
}
