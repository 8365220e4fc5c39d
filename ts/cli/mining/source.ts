/** Where commands mine training examples: the passages of a corpus or of a collection, with searchers. */
import {Collection} from '../../collection/index.ts';
import {versionOf} from '../../collection/manifest.ts';
import type {Passage, Searcher} from '../../core/types.ts';
import {MiningCorpus} from '../../training/data/mining-corpus.ts';
import type {MiningPassages, StreamMiningOptions} from '../../training/index.ts';
import {UsageError} from '../errors.ts';

/** Kinds of hard negatives, by the searcher that finds them. */
export const searchedKinds = ['bm25', 'dense', 'hybrid'] as const;
export type SearchedKind = (typeof searchedKinds)[number];

/** The passages and searchers of a corpus or a collection. */
export class MiningSource implements AsyncDisposable {
	#passages: MiningPassages;
	#searchers: {readonly bm25?: Searcher; readonly searcher?: Searcher};
	/** What to close, the last one first. */
	readonly #open: AsyncDisposable[];
	#isPrepared = false;

	private constructor(passages: MiningPassages, searchers: MiningSource['searchers'], open: AsyncDisposable[]) {
		this.#passages = passages;
		this.#searchers = searchers;
		this.#open = open;
	}

	/**
	Opens a collection, or a corpus file or folder. `searched` is the kind of the hard negatives; `undefined` means that there are none.
	`command` is for errors.
	*/
	static async open(command: string, path: string, searched: SearchedKind | undefined): Promise<MiningSource> {
		const version = await versionOf(path);
		if (version === undefined) {
			if (searched === 'dense' || searched === 'hybrid') {
				throw new UsageError(`${command}: --kind ${searched} needs a collection with vectors as --passages, got ${path}`);
			}
			return new MiningSource(path, {}, []);
		}
		const collection = await Collection.open(path);
		try {
			const bm25 = await collection.searcher('bm25');
			const searcher = searched === undefined || searched === 'bm25' ? bm25 : await collection.searcher(searched);
			// An updatable collection has no passage store, so its passages are copied to a temporary one.
			const passages = version === 1 ? collection.passages : passagesOf(collection);
			return new MiningSource(passages, {bm25, searcher}, [collection]);
		} catch (error) {
			await collection.close();
			throw error;
		}
	}

	get passages(): MiningPassages {
		return this.#passages;
	}

	get searchers(): {readonly bm25?: Searcher; readonly searcher?: Searcher} {
		return this.#searchers;
	}

	/**
	Stores and indexes the passages, unless they are stored already, so that several calls of `mineTrainingExamples` do not each do it. Calls must not
	overlap.
	*/
	async prepare(options: Pick<StreamMiningOptions, 'signal' | 'onProgress'>): Promise<void> {
		if (this.#isPrepared) {
			return;
		}
		const corpus = await MiningCorpus.open(this.#passages, {...options, bm25: this.#searchers.bm25});
		this.#open.push(corpus);
		this.#passages = corpus.store;
		this.#searchers = {...this.#searchers, bm25: await corpus.bm25()};
		this.#isPrepared = true;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const each of this.#open.toReversed()) {
			await each[Symbol.asyncDispose]();
		}
	}
}

/** Iterates over the passages of an updatable collection, without their fields. */
async function* passagesOf(collection: Collection): AsyncGenerator<Passage, void, undefined> {
	for await (const {id, title, text} of collection.scan()) {
		yield title === undefined ? {id, text} : {id, title, text};
	}
}
