import {basename, join, resolve} from 'node:path';
import {packageVersion} from '../../core/native/addon.ts';
import {checkString} from '../../core/checks.ts';
import {Collection, type Retriever} from '../../collection/index.ts';
import {readTrecRun, writeTrecRun} from '../../corpus/index.ts';
import {fuse} from '../../fusion/index.ts';
import {resolveModel} from '../../models/index.ts';
import {findRuntimeLibrary} from '../../onnx/runtime-library.ts';
import {ExtractiveReader, ReadingCache} from '../../reader/index.ts';
import type {Progress, Question, Run} from '../../core/types.ts';
import {named, sha256} from '../storage/inputs.ts';
import {beginRun, isThere, json, makeFolder, writeWhole} from '../storage/run-folder.ts';
import {commandOf} from './command.ts';
import {type Configuration, parts} from './configuration.ts';
import {datasetFiles, questionsOf} from './dataset.ts';
import {type ReplicateOptions, checkedOptions} from './options.ts';
import {type ToRead, studyReading} from './protocol/reading.ts';
import {reportHtml} from './report/html.ts';
import {reportMarkdown} from './report/markdown.ts';
import {type Searched, lambdasOf, studyOverlap, studyRetrieval} from './protocol/retrieval.ts';
import {type Study, studyFormat} from './study.ts';

/** Seed of the graph over passages, which large collections are searched with. */
const GRAPH_SEED = 42;

/** The paper's, Table 2. */
const overlapKs = [20, 100, 500, 1000];

/**
Reruns Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set: a folder with a corpus, development
and test questions. Tunes the hybrids and evidence fusion on development questions, measures everything on test questions, tests
what differs, and writes the paper's tables and figure for this data set into the folder `output`: `report.html`, `report.md`
and `report.json`, with the runs as TREC files and the exact configuration.

It can be stopped at any time: called again with the same configuration, it continues where it stopped. The same configuration gives
the same bytes.

@example
```
const {retrieval, reading} = await replicate('./squad-open', './squad-study', {name: 'SQuAD'});
```
*/
export async function replicate(dataset: string, output: string, options: ReplicateOptions = {}): Promise<Study> {
	checkString('dataset', dataset);
	checkString('output', output);
	const {settings, ks} = checkedOptions(options);
	const {name = basename(resolve(dataset)), encoder = 'minilm-encoder', reader = 'minilm-reader', signal} = options;
	const report = (stage: string) => (progress: Progress) => options.onProgress?.({...progress, stage});

	const files = await datasetFiles(dataset, options);
	const development = await questionsOf(files.development, options.maxDevelopmentQuestions ?? Infinity, signal);
	const test = await questionsOf(files.test, options.maxTestQuestions ?? Infinity, signal);
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
	const opened = {questionEncoder: questionEncoder ?? encoder, ...settings.bm25};
	await using collection = built
		? await Collection.open(place, opened)
		: await Collection.build(files.corpus, place, {
				encoder,
				questionEncoder,
				// Each passage alone: vectors of int8 models depend on their batch.
				batchTokens: 1,
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
	const lambdas = unit ? lambdasOf(grid) : undefined;
	const version = packageVersion();
	const configuration: Configuration = {
		format: studyFormat,
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
		...(lambdas && {lambdas}),
	};
	await beginRun(folder, configuration);

	const search = async (questions: readonly Question[], split: string, retriever: Retriever): Promise<Run> => {
		const path = join(folder, parts.runs, `${split}.${retriever}.trec`);
		if (!(await isThere(path))) {
			const searcher = await collection.searcher(retriever);
			const run = await searcher.searchMany(questions, {
				k: settings.dprDepth,
				signal,
				onProgress: report(`search ${retriever}, ${split}`),
			});
			await makeFolder(join(folder, parts.runs));
			await writeTrecRun(path, run, `passagekit-${retriever}`, {signal});
		}
		// Always read back from the file, so that a resumed run starts from the same hits.
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
		lambdas,
		signal,
		onProgress: report('look for answers'),
	});
	const found: Study = {
		format: studyFormat,
		dataset: name,
		passagekit: version,
		corpus: {count: collection.manifest.passages, name: basename(files.corpus), sha256: corpusHash},
		questions: configuration.questions,
		models,
		settings: {...settings, hybridRead: hybrid},
		retrieval: study,
		...(await studyOverlap(ofTest, overlapKs, settings.significance, signal)),
		command: commandOf(basename(resolve(dataset)), options),
	};
	const whole = reader === false ? found : {...found, reading: await read()};
	await writeWhole(join(folder, parts.json), json(whole));
	await writeWhole(join(folder, parts.markdown), reportMarkdown(whole));
	await writeWhole(join(folder, parts.html), reportHtml(whole));
	return whole;

	async function read(): Promise<NonNullable<Study['reading']>> {
		let stage = 'read';
		const fused = async ({dense, sparse}: Searched): Promise<Run> =>
			fuse({dense, sparse}, hybrid, {depth: settings.depth, k: settings.passagesRead, signal});
		const retrieved: ToRead[] = [
			{retriever: 'dense', development: ofDevelopment.dense, test: ofTest.dense, maxGamma: unit ? 20 : 2},
			{retriever: 'bm25', development: ofDevelopment.sparse, test: ofTest.sparse, maxGamma: 2},
			{retriever: 'hybrid', development: await fused(ofDevelopment), test: await fused(ofTest), maxGamma: unit ? 20 : 2},
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
