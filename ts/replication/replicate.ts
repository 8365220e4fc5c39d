import {basename, join, resolve} from 'node:path';
import {packageVersion} from '../addon.ts';
import {checkArray, checkCount, checkNumber, checkOneOf, checkString} from '../check.ts';
import {Collection, type Retriever} from '../collection/index.ts';
import {readTrecRun, writeTrecRun} from '../corpus/index.ts';
import {RetrievalError} from '../errors.ts';
import type {AnswerKind} from '../evaluation/index.ts';
import {fuse} from '../fusion/index.ts';
import {resolveModel} from '../models/index.ts';
import {findRuntimeLibrary} from '../onnx/runtime-library.ts';
import {ExtractiveReader, ReadingCache} from '../reader/index.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../options.ts';
import type {CallOptions, Progress, Question, Run} from '../types.ts';
import {named, sha256} from '../report/inputs.ts';
import {beginRun, isThere, json, makeFolder, writeWhole} from '../report/run-folder.ts';
import {commandOf} from './command.ts';
import {type Configuration, parts} from './configuration.ts';
import {datasetFiles, questionsOf} from './dataset.ts';
import {type ToRead, studyReading} from './reading.ts';
import {reportHtml} from './report-html.ts';
import {reportMarkdown} from './report-markdown.ts';
import {type Searched, studyOverlap, studyRetrieval} from './retrieval.ts';
import type {Settings, Study} from './study.ts';

export interface ReplicateOptions extends Omit<CallOptions, 'onProgress'> {
	/** The data set's name, which finds the paper's figures: NQ, TriviaQA, WQ, CuratedTREC, SQuAD. @default the folder's name */
	readonly name?: string | undefined;
	/** The corpus, if it is not found by its name in the folder. */
	readonly corpus?: string | undefined;
	/** Development questions, if they are not found by their name. */
	readonly development?: string | undefined;
	/** Test questions, if they are not found by their name. */
	readonly test?: string | undefined;
	/** A collection of this corpus that has been built already. @default one is built in the run's folder */
	readonly collection?: string | undefined;
	/** The encoder of passages. @default 'minilm-encoder' */
	readonly encoder?: string | undefined;
	/** The encoder of questions, as DPR has one. @default that of passages */
	readonly questionEncoder?: string | undefined;
	/** The reader, or `false` for retrieval alone. @default 'minilm-reader' */
	readonly reader?: string | false | undefined;
	/** Whether answers are texts or, for retrieval alone, regular expressions as CuratedTREC's are. @default 'text' */
	readonly answers?: AnswerKind | undefined;
	/** Hits taken from each list before fusing (k'). @default 1000 */
	readonly depth?: number | undefined;
	/** Cut-offs of accuracy. @default [20, 100] */
	readonly ks?: readonly number[] | undefined;
	/** Passages that the reader reads at most; the paper has 500. @default 100 */
	readonly passagesRead?: number | undefined;
	/** A difference counts with a corrected p below this. @default 0.01 */
	readonly significance?: number | undefined;
	/** Weights tried for the hybrids. @default 0 to 2 by 0.05; for vectors of unit length, whose scores are small, a tenth of that */
	readonly grid?: readonly number[] | undefined;
	/** Development questions used, spread over the file. @default all */
	readonly developmentQuestions?: number | undefined;
	/** Test questions used, spread over the file. @default all */
	readonly testQuestions?: number | undefined;
	readonly onProgress?: ((progress: ReplicateProgress) => void) | undefined;
}

const replicateOptions: OptionNames = optionNames<ReplicateOptions>({
	...callNames,
	name: true,
	corpus: true,
	development: true,
	test: true,
	collection: true,
	encoder: true,
	questionEncoder: true,
	reader: true,
	answers: true,
	depth: true,
	ks: true,
	passagesRead: true,
	significance: true,
	grid: true,
	developmentQuestions: true,
	testQuestions: true,
});

/** What is being done, and how far it is. */
export interface ReplicateProgress extends Progress {
	/** Such as `encode`, `search dense, test` or `read hybrid, development`. */
	readonly stage: string;
}

/** Of the graph over passages, where there are so many that one is searched. */
const GRAPH_SEED = 42;

/** The paper's, Table 2. */
const overlapKs = [20, 100, 500, 1000];

/**
Reruns Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set: a folder with a corpus, development
and test questions. Tunes the hybrids and evidence fusion on development questions, measures everything on test questions, tests
what differs, and writes the paper's tables and figure for this data set into the folder `output`: `report.html`, `report.md`
and `report.json`, with the runs as TREC files and the exact configuration.

It can be stopped at any time: called again with the same configuration it goes on where it was. The same configuration gives
the same bytes.

@example
```
const {retrieval, reading} = await replicate('./squad-open', './squad-study', {name: 'SQuAD'});
```
*/
export async function replicate(dataset: string, output: string, options: ReplicateOptions = {}): Promise<Study> {
	checkString('dataset', dataset);
	checkString('output', output);
	checkOptions('replicate', options, replicateOptions);
	for (const what of ['name', 'corpus', 'development', 'test', 'collection', 'encoder', 'questionEncoder'] as const) {
		if (options[what] !== undefined) {
			checkString(what, options[what]);
		}
	}
	if (options.reader !== undefined && options.reader !== false) {
		checkString('reader', options.reader);
	}
	const {name = basename(resolve(dataset)), encoder = 'minilm-encoder', reader = 'minilm-reader', signal} = options;
	const settings = checkedSettings(options);
	const ks = options.ks ?? [20, 100];
	checkArray('ks', ks, 'cut-offs');
	if (options.grid !== undefined) {
		checkArray('grid', options.grid, 'weights');
	}
	for (const k of ks) {
		checkCount('ks', k, 1, settings.depth);
	}
	const report = (stage: string) => (progress: Progress) => options.onProgress?.({...progress, stage});

	const files = await datasetFiles(dataset, options);
	const development = await questionsOf(files.development, options.developmentQuestions ?? Infinity, signal);
	const test = await questionsOf(files.test, options.testQuestions ?? Infinity, signal);
	const model = async (model: string): Promise<{name: string; sha256: string}> => {
		const folder = await resolveModel(model, {signal});
		return {name: named(model), sha256: await sha256(folder, signal)};
	};
	const models = {
		encoder: await model(encoder),
		...(options.questionEncoder === undefined ? {} : {questionEncoder: await model(options.questionEncoder)}),
		reader: reader === false ? null : await model(reader),
	};
	const corpusHash = await sha256(files.corpus, signal);

	const folder = resolve(output);
	await makeFolder(folder);
	const place = options.collection ?? join(folder, parts.collection);
	const built = await isThere(join(place, 'passagekit.json'));
	const {questionEncoder} = options;
	const opened = {encoder: questionEncoder ?? encoder};
	await using collection = built
		? await Collection.open(place, opened)
		: await Collection.build(files.corpus, place, {
				encoder,
				questionEncoder,
				hnsw: {seed: GRAPH_SEED},
				threads: 1,
				overwrite: true,
				signal,
				onProgress: ({stage, ...progress}) => report(stage)(progress),
			}).then(async built => {
				await built.close();
				return Collection.open(place, opened);
			});
	const unit = collection.manifest.encoder?.unit ?? false;
	const grid = options.grid ?? Array.from({length: 41}, (_, i) => i / (unit ? 200 : 20));
	const version = packageVersion();
	const configuration: Configuration = {
		format: 'passagekit replication 1',
		dataset: name,
		passagekit: version,
		onnxruntime: findRuntimeLibrary().version ?? null,
		seeds: {graph: GRAPH_SEED},
		corpus: {sha256: corpusHash},
		questions: {
			development: {count: development.length, name: basename(files.development), sha256: await sha256(files.development, signal)},
			test: {count: test.length, name: basename(files.test), sha256: await sha256(files.test, signal)},
		},
		models,
		settings,
		ks,
		overlapKs,
		grid,
	};
	await beginRun(folder, configuration);

	const search = async (questions: readonly Question[], split: string, retriever: Retriever): Promise<Run> => {
		const path = join(folder, parts.runs, `${split}.${retriever}.trec`);
		if (!(await isThere(path))) {
			const searcher = await collection.searcher(retriever);
			const run = await searcher.searchMany(questions, {
				k: settings.depth,
				signal,
				onProgress: report(`search ${retriever}, ${split}`),
			});
			await makeFolder(join(folder, parts.runs));
			await writeTrecRun(path, run, `passagekit-${retriever}`, {signal});
		}
		// Read in any case, so that a run that goes on begins with the same.
		return readTrecRun(path, {signal});
	};
	const searched = async (questions: readonly Question[], split: string): Promise<Searched> => ({
		questions,
		sparse: await search(questions, split, 'bm25'),
		dense: await search(questions, split, 'dense'),
	});
	const [ofDevelopment, ofTest] = [await searched(development, 'development'), await searched(test, 'test')];

	const {study, hybrid} = await studyRetrieval(ofDevelopment, ofTest, collection.passages, {
		settings,
		ks,
		grid,
		signal,
		onProgress: report('look for answers'),
	});
	const found: Study = {
		format: 'passagekit replication 1',
		dataset: name,
		passagekit: version,
		corpus: {count: collection.manifest.passages, name: basename(files.corpus), sha256: corpusHash},
		questions: configuration.questions,
		models,
		settings: {...settings, hybridRead: hybrid},
		retrieval: study,
		overlap: await studyOverlap(ofTest, overlapKs, signal),
		command: commandOf(basename(resolve(dataset)), options),
	};
	const whole = reader === false ? found : {...found, reading: await read()};
	await writeWhole(join(folder, parts.json), json(whole));
	await writeWhole(join(folder, parts.markdown), reportMarkdown(whole));
	await writeWhole(join(folder, parts.html), reportHtml(whole));
	return whole;

	async function read(): Promise<NonNullable<Study['reading']>> {
		let stage = 'read';
		const fused = async ({dense, sparse}: Searched): Promise<Run> => fuse({dense, sparse}, hybrid, {k: settings.passagesRead, signal});
		const retrieved: ToRead[] = [
			{retriever: 'dense', development: ofDevelopment.dense, test: ofTest.dense, mostGamma: unit ? 20 : 2},
			{retriever: 'bm25', development: ofDevelopment.sparse, test: ofTest.sparse, mostGamma: 2},
			{retriever: 'hybrid', development: await fused(ofDevelopment), test: await fused(ofTest), mostGamma: unit ? 20 : 2},
		];
		await using model = await ExtractiveReader.load(reader as string, {signal});
		const {spansPerPassage, maxAnswerTokens} = settings;
		await using cache = await ReadingCache.open(join(folder, parts.readings), model, {spansPerPassage, maxAnswerTokens});
		// Awaited here: the cache is closed when this function ends.
		return await studyReading(model, retrieved, {
			settings,
			development,
			test,
			passages: collection.passages,
			cache,
			signal,
			onStage(next) {
				stage = next;
			},
			onProgress: progress => report(stage)(progress),
		});
	}
}

function checkedSettings(options: ReplicateOptions): Settings {
	const {depth = 1000, passagesRead = 100, significance = 0.01, developmentQuestions = 1, testQuestions = 2, answers = 'text'} = options;
	checkCount('depth', depth, 1);
	checkCount('passagesRead', passagesRead, 1);
	checkCount('developmentQuestions', developmentQuestions, 1);
	checkCount('testQuestions', testQuestions, 2);
	checkNumber('significance', significance);
	checkOneOf('answers', answers, ['text', 'pattern']);
	if (answers === 'pattern' && options.reader !== false) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			'answers: expected no reader for answers that are patterns, which exact match cannot be measured with',
		);
	}
	if (significance <= 0 || significance >= 1) {
		throw new RetrievalError('ERR_ARGUMENT', `significance: expected a number between 0 and 1, got ${significance}`);
	}
	return {
		depth,
		significance,
		tunedFor: 20,
		passagesRead: Math.min(passagesRead, depth),
		spansPerPassage: 10,
		maxAnswerTokens: 10,
		...(answers === 'pattern' ? {answers} : {}),
	};
}
