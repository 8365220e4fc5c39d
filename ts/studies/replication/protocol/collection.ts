/** Opens the collection that a replication study searches: in a folder, or in a cluster. */
import {join} from 'node:path';
import {Collection, type Retriever} from '../../../collection/index.ts';
import {RetrievalError} from '../../../core/errors.ts';
import type {FilterableSearcher} from '../../../core/types.ts';
import {PassageStore} from '../../../corpus/index.ts';
import {OpenSearchCollection} from '../../../remote/index.ts';
import type {StudyInputs} from '../../engine/inputs.ts';
import {DEFAULT_ENCODER} from '../../engine/options.ts';
import type {StudyRun} from '../../engine/study-run.ts';
import {exists, runFiles} from '../../storage/run-folder.ts';
import type {ReplicateOptions} from '../options.ts';
import type {Settings} from '../study.ts';

/** Seed of the HNSW graph, which is used to search collections of more than 50,000 passages. */
export const GRAPH_SEED = 42;

/** File with the texts of the passages, in the folder of a study of a cluster. */
const PASSAGES_FILE = 'passages.pkstore';

/** The inputs of a study that this module uses. */
interface Inputs extends Pick<StudyInputs, 'files'> {
	readonly settings: Settings;
}

/** What a study needs of a collection. */
export interface StudyCollection extends AsyncDisposable {
	/** Number of passages. */
	readonly count: number;
	readonly hasUnitVectors: boolean;
	/** The texts of the passages. */
	readonly passages: PassageStore;
	searcher(retriever: Retriever): Promise<FilterableSearcher>;
}

/** Opens the collection that the caller named, or else the one in the folder of the study run, which is built first if it does not exist. */
export async function openCollection(run: StudyRun, inputs: Inputs, options: ReplicateOptions): Promise<StudyCollection> {
	const {url, index} = options;
	if (url !== undefined && index !== undefined) {
		return openRemote(run, inputs, url.split(','), index, options);
	}
	const {files, settings} = inputs;
	const {encoder = DEFAULT_ENCODER, questionEncoder} = options;
	const path = options.collection ?? run.path(runFiles.collection);
	if (!(await exists(join(path, 'passagekit.json')))) {
		const built = await Collection.build(files.corpus, path, {
			encoder,
			questionEncoder,
			// One passage per batch, because with ONNX Runtime, the vector that an int8 model computes for a text depends on the
			// other texts in the batch.
			batchTokens: 1,
			hnsw: {seed: GRAPH_SEED},
			threads: 1,
			overwrite: true,
			signal: run.signal,
			onProgress: ({stage, ...progress}) => run.stage(stage).onProgress(progress),
		});
		await built.close();
	}
	const collection = await Collection.open(path, {questionEncoder: questionEncoder ?? encoder, ...settings.bm25});
	return {
		count: collection.manifest.passages,
		hasUnitVectors: collection.manifest.encoder?.unit ?? false,
		passages: collection.passages,
		searcher: async retriever => collection.searcher(retriever),
		[Symbol.asyncDispose]: async () => collection.close(),
	};
}

/** Opens an index of a cluster. The texts of the passages, in which answers are looked for, are those of the corpus. */
async function openRemote(
	run: StudyRun,
	{files}: Inputs,
	url: readonly string[],
	index: string,
	{encoder, questionEncoder, connection}: ReplicateOptions,
): Promise<StudyCollection> {
	if (encoder !== undefined) {
		throw new RetrievalError('ERR_ARGUMENT', 'replicate: encoder: expected none with url, whose index has its own encoder, got one');
	}
	const collection = await OpenSearchCollection.open(index, {...connection, url, questionEncoder, signal: run.signal});
	try {
		const path = run.path(PASSAGES_FILE);
		if (!(await exists(path))) {
			await PassageStore.ingest(files.corpus, path, {...run.stage('read')});
		}
		const passages = await PassageStore.open(path);
		const {passages: count, hasUnitVectors} = await collection.stats();
		if (count !== passages.size) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`index: expected an index with the ${passages.size} passages of ${files.corpus}, got ${index} with ${count}; push the corpus with \`passagekit push\``,
			);
		}
		return {
			count,
			hasUnitVectors,
			passages,
			// Exact, as in a built collection of up to 50,000 passages.
			searcher: async retriever =>
				collection.searcher(retriever, retriever === 'bm25' ? {} : {vectorIndex: count > MAX_FLAT_PASSAGES ? 'hnsw' : 'flat'}),
			async [Symbol.asyncDispose]() {
				passages.close();
				await collection.close();
			},
		};
	} catch (error) {
		await collection.close();
		throw error;
	}
}

/** Up to this number of passages, dense searches are exact. */
const MAX_FLAT_PASSAGES = 50_000;
