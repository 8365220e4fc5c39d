import {join} from 'node:path';
import {checkArray, checkBoolean, checkCount, checkFactoryMade, checkObject, checkOneOf, checkString} from '../core/checks.ts';
import {PassageStore} from '../corpus/index.ts';
import {DenseSearcher, FlatIndex, HnswIndex} from '../dense/index.ts';
import {OnnxEncoder, type OnnxEncoderOptions} from '../encoders/index.ts';
import {encoderOptions as encoderNames} from '../encoders/onnx-encoder.ts';
import {RetrievalError} from '../core/errors.ts';
import {type FusionMethod, HybridSearcher} from '../fusion/index.ts';
import {type OpenOptions, checkedOpenOptions, openOptionNames} from '../core/open-options.ts';
import {type OptionNames, checkOptions, optionNames} from '../core/options.ts';
import {type Answer, ExtractiveReader, type ReadOptions} from '../reader/index.ts';
import {checkParameters} from '../sparse/bm25-index.ts';
import {Bm25Index, type Bm25Options} from '../sparse/index.ts';
import type {Hit, Passage, Searcher} from '../core/types.ts';
import {type BuildOptions, buildCollection, buildNames} from './build.ts';
import {placeOf, putBack} from './build-folder.ts';
import {type Manifest, parts, readManifest} from './manifest.ts';

export type Retriever = 'bm25' | 'dense' | 'hybrid';

export const retrievers: readonly Retriever[] = ['bm25', 'dense', 'hybrid'];

export interface CollectionOptions extends Bm25Options, OpenOptions {
	/** The encoder of questions. @default the one that the collection was built with or for */
	readonly questionEncoder?: string | undefined;
	readonly encoderOptions?: OnnxEncoderOptions | undefined;
	/** The reader for `ask`. @default 'minilm-reader' */
	readonly reader?: string | undefined;
}

export interface SearcherOptions {
	/** The vector index of dense searches. @default 'flat' up to 50,000 passages, else 'hnsw' if the collection has one */
	readonly vectorIndex?: 'flat' | 'hnsw' | undefined;
	/** How a hybrid search fuses its lists. @default {method: 'hybridNorm', alpha: 0.05} for unit vectors, else {method: 'dprHybrid'} */
	readonly fusion?: FusionMethod | undefined;
	/** Number of hits taken from each list before fusion. @default 1000 */
	readonly depth?: number | undefined;
}

export interface AskOptions extends Omit<ReadOptions, 'k' | 'onProgress' | 'evidence'>, SearcherOptions {
	/** Weights of evidence fusion. @default those of `defaultEvidence` for the retriever */
	readonly evidence?: ReadOptions['evidence'];
	/** @default 'hybrid', or 'bm25' for a collection without vectors */
	readonly retriever?: Retriever | undefined;
	/** Number of passages retrieved and read. @default 20 */
	readonly passages?: number | undefined;
	/** Maximum number of answers. @default 3 */
	readonly answers?: number | undefined;
}

export type CollectionBuildOptions = BuildOptions & Pick<CollectionOptions, 'reader' | 'k1' | 'b'>;

const buildOptions: OptionNames = optionNames<CollectionBuildOptions>({...buildNames, reader: true, k1: true, b: true});
const openOptions: OptionNames = optionNames<CollectionOptions>({
	...openOptionNames,
	k1: true,
	b: true,
	questionEncoder: true,
	encoderOptions: true,
	reader: true,
});
const searcherNames = {vectorIndex: true, fusion: true, depth: true} as const;
const searcherOptions: OptionNames = optionNames<SearcherOptions>(searcherNames);
const askOptions: OptionNames = optionNames<AskOptions>({
	...searcherNames,
	signal: true,
	scoring: true,
	spansPerPassage: true,
	maxAnswerTokens: true,
	evidence: true,
	merge: true,
	retriever: true,
	passages: true,
	answers: true,
});

/** The result of `Collection.ask`. */
export interface Asked {
	/** The answers, best first. */
	readonly answers: readonly Answer[];
	/** The passages that were read, in the order of retrieval. */
	readonly passages: ReadonlyArray<Passage & Hit>;
	readonly retriever: Retriever;
}

/**
Returns default weights of evidence fusion: those that did best on the development questions of the encyclopedia (exact match 0.575 → 0.642
with hybrid scores and five passages). BM25 scores reach some tens, and scores of unit vectors 1. Scores of other vectors have no known
scale, so their weight is 0.
*/
export function defaultEvidence(retriever: Retriever, normalized: boolean): {readonly beta: number; readonly gamma: number} {
	checkOneOf('retriever', retriever, retrievers);
	checkBoolean('normalized', normalized);
	if (retriever === 'bm25') {
		return {beta: 1, gamma: 0.5};
	}
	return {beta: 1, gamma: normalized ? 10 : 0};
}

/** Up to this number of passages, an exact search takes less time than encoding the question. */
const MAX_FLAT_PASSAGES = 50_000;

/**
A corpus and its indexes in one folder: builds and opens them, retrieves passages, and answers questions.

@example
```
const collection = await Collection.build('./my-docs', './my-index');
const {answers} = await collection.ask('Who built the bridge?');
```
*/
export class Collection implements AsyncDisposable {
	readonly manifest: Manifest;
	readonly passages: PassageStore;
	readonly bm25: Bm25Index;
	readonly #folder: string;
	readonly #options: CollectionOptions;
	readonly #open = new Map<string, Promise<Closable>>();

	private constructor(folder: string, manifest: Manifest, passages: PassageStore, bm25: Bm25Index, options: CollectionOptions) {
		checkFactoryMade('Collection', passages, PassageStore, 'Collection.open() or Collection.build()');
		this.#folder = folder;
		this.manifest = manifest;
		this.passages = passages;
		this.bm25 = bm25;
		this.#options = options;
	}

	/** Builds a collection in the folder `output` from a file, a folder or passages, and opens it. */
	static async build(
		source: string | Iterable<Passage> | AsyncIterable<Passage>,
		output: string,
		options: CollectionBuildOptions = {},
	): Promise<Collection> {
		checkOptions('build', options, buildOptions);
		const {reader, k1, b, ...build} = options;
		// Checked now, and not after hours of work.
		checkOpening({reader, k1, b});
		await buildCollection(source, output, build);
		const {encoder, questionEncoder, encoderOptions} = build;
		return Collection.open(
			output,
			encoder === false ? {reader, k1, b} : {reader, k1, b, questionEncoder: questionEncoder ?? encoder, encoderOptions},
		);
	}

	/**
	Opens the collection in a folder. Indexes are memory-mapped unless `inMemory` is set; vectors and models are loaded when they
	are first needed. If a build was killed after it moved the old collection aside and before it moved the new one into place,
	the old one is restored.
	*/
	static async open(folder: string, options: CollectionOptions = {}): Promise<Collection> {
		checkString('folder', folder);
		checkOptions('open', options, openOptions);
		checkOpening(options);
		const manifest = await foundManifest(folder);
		const opening = openingOf(options);
		const passages = await PassageStore.open(join(folder, parts.passages), opening);
		const bm25 = await Bm25Index.open(join(folder, parts.bm25), {...opening, k1: options.k1, b: options.b});
		if (passages.size !== manifest.passages || bm25.size !== manifest.passages) {
			throw new RetrievalError(
				'ERR_INDEX_CORRUPT',
				`${folder}: expected ${manifest.passages} passages in every part, got ${passages.size} in the store and ${bm25.size} in the BM25 index`,
			);
		}
		return new Collection(folder, manifest, passages, bm25, options);
	}

	/** Returns a searcher over the collection, and loads the indexes and models that it needs. */
	async searcher(retriever: Retriever, options: SearcherOptions = {}): Promise<Searcher> {
		checkOneOf('retriever', retriever, retrievers);
		checkOptions('searcher', options, searcherOptions);
		if (retriever === 'bm25') {
			return this.bm25;
		}
		const dense = await this.#dense(options.vectorIndex);
		if (retriever === 'dense') {
			return dense;
		}
		const fusion =
			options.fusion ?? (this.manifest.encoder?.unit ? ({method: 'hybridNorm', alpha: 0.05} as const) : ({method: 'dprHybrid'} as const));
		return new HybridSearcher({dense, sparse: this.bm25, fusion, depth: options.depth});
	}

	/** Returns the encoder of questions, loaded once. */
	async encoder(): Promise<OnnxEncoder> {
		const made = this.#withVectors();
		return this.#once('encoder', async () =>
			OnnxEncoder.load(this.#options.questionEncoder ?? made.questions?.model ?? made.model, this.#options.encoderOptions),
		);
	}

	/** Returns the exact vector index, opened once. */
	async flat(): Promise<FlatIndex> {
		this.#withVectors();
		return this.#once('flat', async () => FlatIndex.open(join(this.#folder, parts.flat), openingOf(this.#options)));
	}

	/** Returns the graph index, opened once. */
	async hnsw(): Promise<HnswIndex> {
		this.#withVectors();
		return this.#once('hnsw', async () => HnswIndex.open(join(this.#folder, parts.hnsw), openingOf(this.#options)));
	}

	/** Returns the reader, loaded once. */
	async reader(): Promise<ExtractiveReader> {
		return this.#once('reader', async () => ExtractiveReader.load(this.#options.reader ?? 'minilm-reader'));
	}

	/** Retrieves passages for a question and extracts answers from them. */
	async ask(question: string, options: AskOptions = {}): Promise<Asked> {
		checkString('question', question);
		checkOptions('ask', options, askOptions);
		const {retriever = this.manifest.encoder ? 'hybrid' : 'bm25', passages: count = 20, answers: k = 3, signal} = options;
		const {vectorIndex, fusion, depth, scoring, spansPerPassage, maxAnswerTokens, merge} = options;
		checkCount('passages', count, 1);
		checkCount('answers', k, 1);
		const [searcher, reader] = await Promise.all([this.searcher(retriever, {vectorIndex, fusion, depth}), this.reader()]);
		const hits = await searcher.search(question, {k: count, signal});
		const passages = await this.retrieved(hits);
		const evidence = options.evidence ?? this.evidence(retriever);
		const answers = await reader.read(question, passages, {signal, scoring, spansPerPassage, maxAnswerTokens, merge, evidence, k});
		return {answers, passages, retriever};
	}

	/** Returns the weights of evidence fusion that `ask` uses by default. */
	evidence(retriever: Retriever): {readonly beta: number; readonly gamma: number} {
		return defaultEvidence(retriever, this.manifest.encoder?.unit ?? false);
	}

	/** Returns the passages of hits, each with its score. */
	async retrieved(hits: readonly Hit[]): Promise<Array<Passage & Hit>> {
		checkArray('hits', hits, '{id, score}');
		hits.forEach((hit, i) => checkObject(`hits[${i}]`, hit, '{id, score}'));
		const passages = await this.passages.get(hits.map(hit => hit.id));
		return passages.map((passage, i) => ({...passage, score: hits[i]!.score}));
	}

	/** Closes all indexes and models. Calls in progress finish first. */
	async close(): Promise<void> {
		this.passages.close();
		this.bm25.close();
		for (const opening of this.#open.values()) {
			await opening.then(
				opened => opened.close(),
				() => {},
			);
		}
		this.#open.clear();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.close();
	}

	async #dense(wanted: 'flat' | 'hnsw' | undefined): Promise<DenseSearcher> {
		const {indexes, passages} = this.manifest;
		const index = wanted ?? (passages > MAX_FLAT_PASSAGES && indexes.includes('hnsw') ? 'hnsw' : 'flat');
		this.#withVectors();
		checkOneOf('vectorIndex', index, indexes);
		return new DenseSearcher({encoder: await this.encoder(), index: await (index === 'flat' ? this.flat() : this.hnsw())});
	}

	#withVectors(): NonNullable<Manifest['encoder']> {
		if (!this.manifest.encoder) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`${this.#folder}: expected a collection with vectors, got one built without an encoder; use the bm25 retriever or build it again`,
			);
		}
		return this.manifest.encoder;
	}

	/** Opens a part once, also for concurrent calls. A failure is not remembered: the next call tries again. */
	async #once<T extends Closable>(name: string, open: () => Promise<T>): Promise<T> {
		let opening = this.#open.get(name) as Promise<T> | undefined;
		if (!opening) {
			opening = open();
			this.#open.set(name, opening);
			opening.catch(() => this.#open.delete(name));
		}
		return opening;
	}
}

/** Reads the manifest. First restores the collection if a killed build had moved it aside without replacing it. */
async function foundManifest(folder: string): Promise<Manifest> {
	try {
		return await readManifest(folder);
	} catch (error) {
		const missing = error instanceof RetrievalError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
		if (missing && (await putBack(await placeOf(folder)))) {
			return readManifest(folder);
		}
		throw error;
	}
}

function checkOpening({questionEncoder, encoderOptions, reader, inMemory, verify, ...parameters}: CollectionOptions): void {
	checkedOpenOptions({inMemory, verify});
	for (const [what, model] of Object.entries({questionEncoder, reader})) {
		if (model !== undefined) {
			checkString(what, model);
		}
	}
	checkOptions('encoderOptions', encoderOptions, encoderNames);
	checkParameters(parameters);
}

function openingOf({inMemory, verify}: CollectionOptions): OpenOptions {
	return {inMemory, verify};
}

interface Closable {
	close(): void;
}
