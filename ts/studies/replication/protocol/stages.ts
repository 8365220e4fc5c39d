/**
The stages of a replication study (Ma et al., 2021). `measureReplication` opens or builds the collection, retrieves for
development and test questions, evaluates retrieval, measures the overlap of dense and BM25 lists and, if there is a
reader, evaluates answers.
*/
import {basename} from 'node:path';
import type {Question, Run} from '../../../core/types.ts';
import type {Retriever} from '../../../collection/index.ts';
import {fuse} from '../../../fusion/index.ts';
import {ExtractiveReader, ReadingCache} from '../../../reader/index.ts';
import {type StudyInputs, softwareVersions} from '../../engine/inputs.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import type {StudyModel} from '../../storage/inputs.ts';
import type {ReplicateOptions} from '../options.ts';
import {type Settings, type Study, studyFormat} from '../study.ts';
import {GRAPH_SEED, type StudyCollection, openCollection} from './collection.ts';
import {type ListsToRead, studyReading} from './reading.ts';
import {type QuestionLists, lambdasOf, studyOverlap, studyRetrieval} from './retrieval.ts';

/** The inputs of a replication study, with its settings. */
export interface ReplicationInputs extends StudyInputs {
	/** The data set's name. */
	readonly name: string;
	/** `null` without a reader. `model` is the name or folder that the caller gave. */
	readonly reader: (StudyModel & {readonly model: string}) | null;
	readonly settings: Settings;
	/** The cut-offs k of top-k accuracy. */
	readonly ks: readonly number[];
}

/** The lengths k of the lists in Table 2 of Ma et al. (2021). */
const overlapKs = [20, 100, 500, 1000];

/** File of the reader's cached outputs, in the folder of the study run. */
const READINGS_FILE = 'reader.readings';

/**
Upper end of the range of γ, the weight of the retriever's score in evidence fusion. Scores of unit vectors are small, so
their weight must be larger.
*/
const MAX_GAMMA = {unitVectors: 20, other: 2} as const;

/** Carries out all stages of a replication study, or those that are not stored in the folder of the run yet. */
export async function measureReplication(run: StudyRun, inputs: ReplicationInputs, options: ReplicateOptions): Promise<Study> {
	const {name, settings, ks, files, corpus, questionFiles} = inputs;
	const {signal} = run;
	await using collection = await openCollection(run, inputs, options);
	const hasUnitVectors = collection.hasUnitVectors;
	// α, the weight of BM25 scores, is tried from 0 to 2 in steps of 0.05, as in the paper. The scores of unit vectors
	// are at most 1, so a tenth of these values is tried for them. λ, the weight of dense scores in DPR's hybrid, is then
	// tuned too: DPR's λ = 1.1 is for vectors that are not scaled.
	const grid = options.grid ?? Array.from({length: 41}, (_, i) => i / (hasUnitVectors ? 200 : 20));
	const lambdas = hasUnitVectors ? lambdasOf(grid) : undefined;
	const {passagekit, onnxruntime} = softwareVersions();
	const questions = {development: questionFiles[0]!, test: questionFiles[1]!};
	const models = {
		encoder: inputs.encoder,
		...(inputs.questionEncoder && {questionEncoder: inputs.questionEncoder}),
		reader: inputs.reader && {name: inputs.reader.name, sha256: inputs.reader.sha256},
	};
	await run.start({
		format: studyFormat,
		dataset: name,
		passagekit,
		onnxruntime,
		seeds: {graph: GRAPH_SEED},
		corpus,
		questions,
		models,
		settings,
		ks,
		overlapKs,
		grid,
		...(lambdas && {lambdas}),
	});

	const search = async (questions: readonly Question[], split: string, retriever: Retriever): Promise<Run> =>
		run.search(`${split}.${retriever}`, async () => collection.searcher(retriever), {
			queries: questions,
			// The longest lists that are needed: those that Hybrid-orig fuses.
			k: settings.dprDepth,
			stage: `search ${retriever}, ${split}`,
			system: retriever,
		});
	const listsOf = async (questions: readonly Question[], split: string): Promise<QuestionLists> => ({
		questions,
		sparse: await search(questions, split, 'bm25'),
		dense: await search(questions, split, 'dense'),
	});
	const development = await listsOf(inputs.questions[0]!, 'development');
	const test = await listsOf(inputs.questions[1]!, 'test');
	const retrieval = await studyRetrieval(development, test, collection.passages, {
		settings,
		ks,
		grid,
		lambdas,
		...run.stage('look for answers'),
	});
	const study: Study = {
		format: studyFormat,
		dataset: name,
		passagekit,
		corpus: {count: collection.count, name: basename(files.corpus), ...corpus},
		questions,
		models,
		// Known only after the hybrids have been tuned.
		settings: {...settings, hybridRead: retrieval.hybrid},
		retrieval: retrieval.study,
		...(await studyOverlap(test, overlapKs, {significance: settings.significance, signal})),
		command: run.command,
	};
	if (inputs.reader === null) {
		return study;
	}
	const maxGamma = hasUnitVectors ? MAX_GAMMA.unitVectors : MAX_GAMMA.other;
	const fused = async ({dense, sparse}: QuestionLists): Promise<Run> =>
		fuse({dense, sparse}, retrieval.hybrid, {depth: settings.depth, k: settings.passagesRead, signal});
	const lists: readonly ListsToRead[] = [
		{retriever: 'dense', development: development.dense, test: test.dense, maxGamma},
		{retriever: 'bm25', development: development.sparse, test: test.sparse, maxGamma: MAX_GAMMA.other},
		{retriever: 'hybrid', development: await fused(development), test: await fused(test), maxGamma},
	];
	return {...study, reading: await readLists(run, inputs.reader.model, lists, {collection, development, test, settings})};
}

/** What `readLists` takes from the earlier stages. */
interface ReadingInputs {
	readonly collection: StudyCollection;
	readonly development: QuestionLists;
	readonly test: QuestionLists;
	readonly settings: Settings;
}

/** Reads the passages in `lists`, and measures the answers. Readings are cached in the folder of the study run. */
async function readLists(
	run: StudyRun,
	model: string,
	lists: readonly ListsToRead[],
	{collection, development, test, settings}: ReadingInputs,
): Promise<NonNullable<Study['reading']>> {
	const {signal} = run;
	await using reader = await ExtractiveReader.load(model, {signal});
	const {spansPerPassage, maxAnswerTokens} = settings;
	await using cache = await ReadingCache.open(run.path(READINGS_FILE), reader, {spansPerPassage, maxAnswerTokens});
	// Awaited here, because the cache is closed when this function ends.
	return await studyReading(reader, lists, {
		settings,
		development: development.questions,
		test: test.questions,
		passages: collection.passages,
		cache,
		run,
	});
}
