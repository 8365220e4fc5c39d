import {readFileSync} from 'node:fs';
import {mkdir, stat} from 'node:fs/promises';
import {basename, join, resolve} from 'node:path';
import {packageRoot} from '../addon.ts';
import {checkBoolean, checkCount, checkNumber, checkString} from '../check.ts';
import {Collection} from '../collection/index.ts';
import {readTrecRun, writeTrecRun} from '../corpus/index.ts';
import {OnnxEncoder} from '../encoders/index.ts';
import {RetrievalError} from '../errors.ts';
import {resolveModel} from '../models/index.ts';
import {findRuntimeLibrary} from '../onnx/runtime-library.ts';
import {type Counted, type Model, named, sha256} from '../report/inputs.ts';
import {beginRun, json, writeWhole} from '../report/run-folder.ts';
import {Bm25Index} from '../sparse/index.ts';
import {CorpusEncoder} from '../study/corpus-encoder.ts';
import {corpusFacts} from '../study/corpus-facts.ts';
import {type NamedFiles, datasetFiles, questionsOf} from '../study/dataset.ts';
import {mrrMeasure, ndcgMeasure, ofAnswers, ofQrels, topK} from '../study/measures.ts';
import {judgedFor} from '../study/relevance.ts';
import {divided} from '../study/split.ts';
import type {CallOptions, Encoder, Progress, Qrels, Question, Run, Searcher} from '../types.ts';
import {type ProjectedEncoders, VocabularyProjection} from '../vocabulary/index.ts';
import {defaultHead} from '../vocabulary/default-head.ts';
import {analysed, analysedPairs} from './analyses.ts';
import {commandOf} from './command.ts';
import {type VocabularyConfiguration, parts} from './configuration.ts';
import {type EnrichedParts, enrichedConditions, exactSearcher, staticEncoder, tunedEnrichment} from './enriched.ts';
import {vocabularyStudyHtml} from './report-html.ts';
import {vocabularyStudyMarkdown} from './report-markdown.ts';
import {type ConditionRun, measuredRetrieval} from './retrieval.ts';
import {
	type Baseline,
	type EncoderAnalysis,
	type VocabularyCondition,
	type VocabularySettings,
	type VocabularyStudy,
	vocabularyStudyFormat,
} from './study.ts';

export interface VocabularyStudyOptions extends NamedFiles, Omit<CallOptions, 'onProgress'> {
	/** The data set's name. @default the folder's or file's name */
	readonly name?: string | undefined;
	/** Of passages. @default 'minilm-encoder' */
	readonly encoder?: string | undefined;
	/** Of questions, as DPR has one. @default that of passages */
	readonly questionEncoder?: string | undefined;
	/** The model with the masked-language-model head of the encoder's initialisation. @default 'minilm-mlm-head' for 'minilm-encoder', else the encoder's folder */
	readonly head?: string | undefined;
	/** The encoder's initialisation, as an encoder. @default static embeddings of the head */
	readonly baseline?: string | undefined;
	/** Whether lexical enrichment is studied: its single-token enrichments take minutes, once for a head. @default true */
	readonly enrichment?: boolean | undefined;
	/** Questions used of each file, spread over it. @default all */
	readonly questions?: number | undefined;
	/** What development questions are drawn by. @default 42 */
	readonly seed?: number | undefined;
	/** A difference counts with a corrected p below this. @default 0.01 */
	readonly significance?: number | undefined;
	readonly onProgress?: ((progress: VocabularyStudyProgress) => void) | undefined;
}

/** What is being done, and how far it is. */
export interface VocabularyStudyProgress extends Progress {
	/** Such as `encode`, `search dense` or `project encoder`. */
	readonly stage: string;
}

/** What λ is chosen by, by how it is known what is relevant. */
const tunedFor = {qrels: ndcgMeasure, contexts: mrrMeasure, answers: topK(20)} as const;

/** Cut-offs of accuracy. */
const KS = [1, 5, 20, 100];

/**
Reruns Ram et al. (2023), "What Are You Token About?", on a data set: a folder with a corpus, questions and where they do not
say it themselves qrels; or a SQuAD or PubMedQA file. Projects questions and gold passages to the vocabulary and counts what
the paper counts, of the encoder and of a baseline; chooses λ of lexical enrichment on development questions and measures
retrieval with it, without it, with its ablations, and BM25 of words and of word pieces on test questions; and writes the
paper's tables and figures for this data set into the folder `output`: `report.html`, `report.md` and `results.json`, with all
runs as TREC files and the exact configuration.

It can be stopped at any time: called again with the same configuration it goes on where it was. The same configuration gives
the same bytes.

@example
```
const {retrieval} = await studyVocabulary('./squad', './squad-vocabulary');
retrieval.rows.find(({condition}) => condition === 'enriched')?.values;
//=> [0.561, 0.812, 0.925, 0.971, 0.668]
```
*/
export async function studyVocabulary(dataset: string, output: string, options: VocabularyStudyOptions = {}): Promise<VocabularyStudy> {
	checkString('dataset', dataset);
	checkString('output', output);
	const {encoder: encoderName = 'minilm-encoder', questionEncoder: questionEncoderName, enrichment = true, signal} = options;
	checkBoolean('enrichment', enrichment);
	const headName = options.head ?? defaultHead(encoderName);
	const name = options.name ?? basename(resolve(dataset)).replace(/(?:\.\w+)+$/u, '');
	const report = (stage: string) => (progress: Progress) => options.onProgress?.({...progress, stage});

	const files = await datasetFiles(dataset, options);
	const settings = checkedSettings(options);
	const lists: Question[][] = [];
	for (const path of files.questions) {
		lists.push(await questionsOf(path, options.questions ?? Infinity, signal));
	}
	const questions = lists.flat();
	if (new Set(questions.map(({id}) => id)).size < questions.length) {
		throw new RetrievalError('ERR_FORMAT', `${dataset}: expected development and test questions of distinct ids, got some in both`);
	}
	const counted = async (path: string, count: number): Promise<Counted> => ({
		count,
		name: basename(path),
		sha256: await sha256(path, signal),
	});
	const model = async (model: string): Promise<Model> => ({
		name: named(model),
		sha256: await sha256(await resolveModel(model, {signal}), signal),
	});
	const questionFiles: Counted[] = [];
	for (const [i, path] of files.questions.entries()) {
		questionFiles.push(await counted(path, lists[i]!.length));
	}
	const {version} = JSON.parse(readFileSync(join(packageRoot, 'package.json'), 'utf8')) as {version: string};
	const corpusHash = await sha256(files.corpus, signal);
	const models = {
		encoder: await model(encoderName),
		...(questionEncoderName === undefined ? {} : {questionEncoder: await model(questionEncoderName)}),
	};
	const head = await model(headName);
	const baseline: Baseline = options.baseline === undefined ? {kind: 'static'} : {kind: 'encoder', ...(await model(options.baseline))};
	const qrelsHash = files.qrels === undefined ? null : {sha256: await sha256(files.qrels, signal)};
	const folder = resolve(output);
	await mkdir(folder, {recursive: true});
	await beginRun(folder, {
		format: vocabularyStudyFormat,
		dataset: name,
		passagekit: version,
		onnxruntime: findRuntimeLibrary().version ?? null,
		corpus: {sha256: corpusHash},
		questions: questionFiles,
		qrels: qrelsHash,
		...models,
		head,
		baseline,
		enrichment,
		settings,
	} satisfies VocabularyConfiguration);

	const place = join(folder, parts.collection);
	await using collection = (await isThere(join(place, 'passagekit.json')))
		? await Collection.open(place)
		: await Collection.build(files.corpus, place, {
				encoder: false,
				overwrite: true,
				signal,
				onProgress: ({stage, ...progress}) => report(stage)(progress),
			});
	const {passages, bm25} = collection;
	const corpus = await corpusFacts(passages, signal);

	/** A run by its file: read in any case, so that a run that goes on begins with the same. */
	const search = async (of: string, open: () => Promise<Searcher>): Promise<Run> => {
		const path = join(folder, parts.runs, `${of}.trec`);
		if (!(await isThere(path))) {
			const searcher = await open();
			const run = await searcher.searchMany(questions, {k: settings.depth, signal, onProgress: report(`search ${of}`)});
			await mkdir(join(folder, parts.runs), {recursive: true});
			await writeTrecRun(path, run, `passagekit-${of}`, {signal});
		}
		return readTrecRun(path, {signal});
	};
	const ofBm25 = await search('bm25', async () => bm25);
	const judged = await judgedFor(files.qrels, questions, ofBm25, passages, corpus.ids, {signal, onProgress: report('look for answers')});
	const gold = goldPassages(judged.qrels, corpus.ids);
	const {split, asked} = divided(lists, gold, corpus.titles, settings.seed);
	const askedIds = new Set(asked.map(({id}) => id));
	const relevant = new Map([...judged.qrels].filter(([id]) => askedIds.has(id)));
	const tested = new Set(split.test);
	const pairs = await analysedPairs(
		asked.filter(({id}) => tested.has(id)),
		gold,
		ofBm25,
		relevant,
		passages,
		settings.sparseDepth,
	);

	const tokenizer = await resolveModel(headName, {signal});
	const pieces = join(folder, parts.wordPieces);
	// Its run is written when the index is whole.
	await using wordPieces = (await isThere(join(folder, parts.runs, 'wordpiece.trec')))
		? await Bm25Index.open(pieces)
		: await Bm25Index.build(pieces, passages, {analyzer: {type: 'wordpiece', tokenizer}, signal});
	const ofWordPieces = await search('wordpiece', async () => wordPieces);
	const projection = await VocabularyProjection.load(headName);
	await using encoder = await OnnxEncoder.load(encoderName, {signal});
	await using ofQuestions = questionEncoderName === undefined ? encoder : await OnnxEncoder.load(questionEncoderName, {signal});
	const corpusEncoder = async (of: string, encoder: Encoder, questionEncoder: Encoder): Promise<CorpusEncoder> =>
		CorpusEncoder.open({
			folder: join(folder, parts.vectors, of),
			passages,
			encoder,
			questionEncoder,
			signal,
			onProgress: report(`encode ${of}`),
		});
	const known = await corpusEncoder('encoder', encoder, ofQuestions);
	const dense = await search('dense', async () => exactSearcher(known, passages, signal));
	const runs = new Map<VocabularyCondition, ConditionRun>([
		['bm25', {run: ofBm25}],
		['wordpiece', {run: ofWordPieces}],
		['dense', {run: dense}],
	]);

	const analyses: EncoderAnalysis[] = [];
	const analyse = async (of: EncoderAnalysis['of'], encoder: () => Promise<Encoder>): Promise<void> => {
		const options = {signal, onProgress: report(`project ${of}`)};
		const open = async (): Promise<ProjectedEncoders> => ({encoder: await encoder(), projection});
		analyses.push(await analysed(of, pairs, open, dense, settings, join(folder, parts.analyses), options));
	};
	await analyse('encoder', async () => known);
	await using initialisation = options.baseline === undefined ? undefined : await OnnxEncoder.load(options.baseline, {signal});
	await analyse('baseline', async () => initialisation ?? staticEncoder(projection, signal));
	if (enrichment) {
		const development = new Set(split.development);
		const asked = questions.filter(({id}) => development.has(id));
		const of: EnrichedParts = {
			encoder: known,
			passages,
			projection,
			wordPieces,
			objective:
				judged.from === 'answers'
					? {questions: asked, k: 20}
					: {queries: asked, qrels: relevant, measure: judged.from === 'qrels' ? 'nDCG@10' : 'RR', k: settings.depth},
			lambdas: settings.lambdas,
		};
		for (const condition of enrichedConditions) {
			const found = await tunedEnrichment(condition, of, {signal, onProgress: report(`enrich ${condition}`)});
			const run = await search(condition, async () => exactSearcher(found.enrichment, passages, signal));
			runs.set(condition, {run, tuning: found.tuning});
			if (condition === 'enriched') {
				await analyse('enriched', async () => found.enrichment);
			}
		}
	}
	const measures =
		judged.from === 'answers' ? ofAnswers(asked, passages, KS, {signal}) : ofQrels(relevant, KS, judged.from === 'qrels', {signal});
	const study: VocabularyStudy = {
		format: vocabularyStudyFormat,
		dataset: name,
		passagekit: version,
		corpus: {count: passages.size, name: basename(files.corpus), sha256: corpusHash, words: corpus.words},
		questions: {
			development: split.development.length,
			test: split.test.length,
			without: questions.length - asked.length,
			files: questionFiles,
			split: split.by,
			relevance: judged.from,
			...(files.qrels === undefined ? {} : {qrels: {count: relevant.size, name: basename(files.qrels), ...qrelsHash!}}),
		},
		...models,
		head: {...head, vocabulary: projection.size},
		baseline,
		settings,
		analyses,
		retrieval: await measuredRetrieval(runs, measures, tunedFor[judged.from], split.test, settings, {signal}),
		command: commandOf(basename(resolve(dataset)), options),
	};
	await writeWhole(join(folder, parts.json), json(study));
	await writeWhole(join(folder, parts.markdown), vocabularyStudyMarkdown(study));
	await writeWhole(join(folder, parts.html), vocabularyStudyHtml(study));
	return study;
}

const isThere = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined)) !== undefined;

/** Of each question the passage of the highest grade that the corpus has; of equal grades the first judged. */
function goldPassages(qrels: Qrels, corpus: ReadonlySet<string>): Map<string, string> {
	const gold = new Map<string, string>();
	for (const [id, grades] of qrels) {
		const [best] = [...grades].filter(([passage, grade]) => grade > 0 && corpus.has(passage)).sort(([, a], [, b]) => b - a);
		if (best !== undefined) {
			gold.set(id, best[0]);
		}
	}
	return gold;
}

function checkedSettings({seed = 42, significance = 0.01, questions = 2, enrichment = true}: VocabularyStudyOptions): VocabularySettings {
	checkCount('seed', seed, 0);
	checkCount('questions', questions, 2);
	checkNumber('significance', significance);
	if (significance <= 0 || significance >= 1) {
		throw new RetrievalError('ERR_ARGUMENT', `significance: expected a number between 0 and 1, got ${significance}`);
	}
	return {
		seed,
		depth: Math.max(...KS),
		sparseDepth: 5,
		bounds: [5, 20, 100],
		lambdas: enrichment ? LAMBDAS : [],
		significance,
	};
}

/** λ tried, as lengths of lexical vectors beside the encoder's. */
const LAMBDAS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 1, 1.25, 1.5, 2, 3];
