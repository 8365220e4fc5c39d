/**
A collection that `buildCollection` built from a corpus, and that never changes. `open` opens its passage store and its BM25 index; its
vector indexes and models are opened when they are first needed.
*/
import {join} from 'node:path';
import {CallsInProgress} from '../core/calls-in-progress.ts';
import {checkOneOf} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {documentOf} from '../core/filters/document-id.ts';
import type {OpenOptions} from '../core/open-options.ts';
import type {FilterableSearcher, Hit} from '../core/types.ts';
import {PassageStore} from '../corpus/index.ts';
import {DenseSearcher, FlatIndex, HnswIndex} from '../dense/index.ts';
import {OnnxEncoder, type OnnxEncoderOptions} from '../encoders/index.ts';
import {type FusionMethod, HybridSearcher} from '../fusion/index.ts';
import {Bm25Index, type Bm25Options} from '../sparse/index.ts';
import {restoreMovedAside, targetOf} from './build-folder.ts';
import type {FoundPassage, Retriever} from './live/types.ts';
import {type Manifest, checkHeader, parts, readManifest} from './manifest.ts';

/** The options with which a built collection is opened. */
export interface BuiltOptions extends Bm25Options, OpenOptions {
	readonly questionEncoder?: string | undefined;
	readonly encoderOptions?: OnnxEncoderOptions | undefined;
}

/** The options of the searchers of a built collection. */
interface BuiltSearcherOptions {
	readonly vectorIndex?: 'flat' | 'hnsw' | undefined;
	readonly fusion?: FusionMethod | undefined;
	readonly depth?: number | undefined;
}

/** Maximum number of attempts to open a collection. An attempt fails if a build replaces the collection meanwhile. */
const MAX_ATTEMPTS = 10;

/** Up to this number of passages, searches are exact by default: an exact search then takes less time than encoding the question. */
const MAX_FLAT_PASSAGES = 50_000;

/** An open built collection. `BuiltCollection.open` creates it. */
export class BuiltCollection {
	readonly manifest: Manifest;
	readonly passages: PassageStore;
	readonly bm25: Bm25Index;
	/** The calls of the collection that use several of its parts. */
	readonly calls = new CallsInProgress('collection');
	readonly #folder: string;
	readonly #options: BuiltOptions;
	/** The vector indexes and models that were opened so far, by name. */
	readonly #opened = new Map<string, Promise<Closable>>();

	private constructor(folder: string, manifest: Manifest, passages: PassageStore, bm25: Bm25Index, options: BuiltOptions) {
		this.#folder = folder;
		this.manifest = manifest;
		this.passages = passages;
		this.bm25 = bm25;
		this.#options = options;
	}

	/**
	Opens the collection in a folder. If a build replaces it meanwhile, opens the new one. The function `options` is called only if the folder
	has a built collection, because it fails for options that built collections do not have.
	*/
	static async open(folder: string, options: () => BuiltOptions): Promise<BuiltCollection> {
		for (let attempt = 1; ; attempt++) {
			const manifest = await manifestOf(folder);
			try {
				return await BuiltCollection.#open(folder, manifest, options());
			} catch (error) {
				const isReplaced = JSON.stringify(await manifestOf(folder)) !== JSON.stringify(manifest);
				if (!isReplaced || attempt === MAX_ATTEMPTS) {
					throw error;
				}
			}
		}
	}

	static async #open(folder: string, manifest: Manifest, options: BuiltOptions): Promise<BuiltCollection> {
		const opening = openingOf(options);
		const passages = await PassageStore.open(join(folder, parts.passages), opening);
		const bm25 = await Bm25Index.open(join(folder, parts.bm25), {...opening, k1: options.k1, b: options.b});
		if (passages.size !== manifest.passages || bm25.size !== manifest.passages) {
			throw new RetrievalError(
				'ERR_INDEX_CORRUPT',
				`${folder}: expected ${manifest.passages} passages in every part, got ${passages.size} in the store and ${bm25.size} in the BM25 index`,
			);
		}
		await checkHeader(folder, manifest, 'passages');
		const recorded = manifest.headers?.passages;
		if (recorded !== undefined && (Bm25Index.state(bm25) as {readonly passages?: unknown} | null)?.passages !== recorded) {
			throw new RetrievalError(
				'ERR_INDEX_CORRUPT',
				`${join(folder, parts.bm25)}: expected the BM25 index that the collection was built with, got another`,
			);
		}
		return new BuiltCollection(folder, manifest, passages, bm25, options);
	}

	/** Returns the searcher without waiting for its calls in `close`: use it in `calls.run`. */
	async searcher(retriever: Retriever, options: BuiltSearcherOptions): Promise<FilterableSearcher> {
		if (retriever === 'bm25') {
			return this.bm25;
		}
		const dense = await this.#dense(options.vectorIndex);
		if (retriever === 'dense') {
			return dense;
		}
		// With vectors of unit length, dense scores are at most 1, while BM25 scores reach a few tens; α = 0.05 balances them.
		const fusion =
			options.fusion ?? (this.manifest.encoder?.unit ? ({method: 'hybridNorm', alpha: 0.05} as const) : ({method: 'dprHybrid'} as const));
		return new HybridSearcher({dense, sparse: this.bm25, fusion, depth: options.depth});
	}

	async encoder(): Promise<OnnxEncoder> {
		const record = this.#encoderRecord();
		return this.#once('encoder', async () =>
			OnnxEncoder.load(this.#options.questionEncoder ?? record.questions?.model ?? record.model, this.#options.encoderOptions),
		);
	}

	async flat(): Promise<FlatIndex> {
		this.#encoderRecord();
		return this.#once('flat', async () => this.#openFile('flat', FlatIndex));
	}

	async hnsw(): Promise<HnswIndex> {
		this.#encoderRecord();
		return this.#once('hnsw', async () => this.#openFile('hnsw', HnswIndex));
	}

	async passagesOf(hits: readonly Hit[]): Promise<FoundPassage[]> {
		const passages = await this.passages.get(hits.map(hit => hit.id));
		return passages.map((passage, i) => ({...passage, document: documentOf(passage.id), score: hits[i]!.score}));
	}

	/** Closes the collection once the calls in progress have ended. */
	async close(): Promise<void> {
		await this.calls.close();
		this.passages.close();
		this.bm25.close();
		for (const opening of this.#opened.values()) {
			await opening.then(
				opened => opened.close(),
				() => {},
			);
		}
		this.#opened.clear();
	}

	async #dense(requested: 'flat' | 'hnsw' | undefined): Promise<DenseSearcher> {
		const {indexes, passages} = this.manifest;
		const index = requested ?? (passages > MAX_FLAT_PASSAGES && indexes.includes('hnsw') ? 'hnsw' : 'flat');
		this.#encoderRecord();
		checkOneOf('vectorIndex', index, indexes);
		return new DenseSearcher({
			encoder: await this.encoder(),
			index: await (index === 'flat' ? this.flat() : this.hnsw()),
			fields: this.bm25,
		});
	}

	/** Opens a vector index, and then checks its header, because the collection may be replaced at any time. */
	async #openFile<T extends Closable>(part: 'flat' | 'hnsw', kind: {open(path: string, options: OpenOptions): Promise<T>}): Promise<T> {
		const index = await kind.open(join(this.#folder, parts[part]), openingOf(this.#options));
		try {
			await checkHeader(this.#folder, this.manifest, part);
			return index;
		} catch (error) {
			index.close();
			throw error;
		}
	}

	/** Fails if the collection has no vectors. */
	#encoderRecord(): NonNullable<Manifest['encoder']> {
		if (!this.manifest.encoder) {
			throw new RetrievalError(
				'ERR_ARGUMENT',
				`${this.#folder}: expected a collection with vectors, got one built without an encoder; use the bm25 retriever, or build the collection again with an encoder`,
			);
		}
		return this.manifest.encoder;
	}

	/** Opens an index or a model in the first call only, even if calls overlap. After a failure, the next call tries again. */
	async #once<T extends Closable>(name: string, open: () => Promise<T>): Promise<T> {
		let opening = this.#opened.get(name) as Promise<T> | undefined;
		if (!opening) {
			opening = open();
			this.#opened.set(name, opening);
			opening.catch(() => this.#opened.delete(name));
		}
		return opening;
	}
}

/** Reads the manifest. If it is missing because a build was killed after it moved the collection aside, restores the collection first. */
async function manifestOf(folder: string): Promise<Manifest> {
	try {
		return await readManifest(folder);
	} catch (error) {
		const missing = error instanceof RetrievalError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';
		if (missing && (await restoreMovedAside(await targetOf(folder)))) {
			return readManifest(folder);
		}
		throw error;
	}
}

function openingOf({inMemory, verify}: BuiltOptions): OpenOptions {
	return {inMemory, verify};
}

interface Closable {
	close(): void;
}
