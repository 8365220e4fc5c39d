import {checkCount, checkOneOf, checkString} from '../check.ts';
import {type Binding, callNative, callSync, native} from '../native.ts';
import type {SearchManyOptions, SearchOptions} from '../types.ts';
import type {FlatIndexOptions} from './flat-index.ts';
import {type IndexHandle, attached} from './index-handle.ts';
import type {VectorFilterOptions} from './vector-filter.ts';
import {type Ef, NativeVectorIndex, checkedMetadata, checkedSimilarity} from './vector-index.ts';

export interface HnswIndexOptions extends Omit<FlatIndexOptions, 'storage'> {
	/** Links per node above layer 0; layer 0 has `2 * m`. @default 24 */
	readonly m?: number | undefined;
	/** Candidates kept while inserting. @default 200 */
	readonly efConstruction?: number | undefined;
	/** Same seed and insertion order give the same graph on one thread. @default 42 */
	readonly seed?: number | undefined;
	/**
	How inner products guide the walk: the graph is built on them as they are, or on distances after the augmented-L2
	reduction x ↦ (x, √(φ² − |x|²)). For `similarity: 'dot'` only. @default 'graph'
	*/
	readonly innerProduct?: 'graph' | 'augmentedL2' | undefined;
	/** Threads that `add` uses; 1 gives the same graph every time. @default all cores */
	readonly threads?: number | undefined;
}

export interface HnswSearchOptions extends SearchOptions, VectorFilterOptions, Ef {}
export interface HnswSearchManyOptions extends SearchManyOptions, VectorFilterOptions, Ef {}

/** Approximate search: walks a navigable small-world graph (Malkov & Yashunin, 2018). Scores are exact. */
export class HnswIndex extends NativeVectorIndex {
	constructor(options: HnswIndexOptions) {
		// `open` passes an index that exists already.
		super(options instanceof native.NativeVectorIndex ? options : create(options));
	}

	/** Memory-maps a saved index. */
	static async open(path: string): Promise<HnswIndex> {
		checkString('path', path);
		return new HnswIndex((await callNative({}, () => native.openHnswIndex(path))) as unknown as HnswIndexOptions);
	}

	/** The index of another thread, which both then have in common. */
	static attach(handle: IndexHandle<'HnswIndex'>): HnswIndex {
		return new HnswIndex(attached('HnswIndex', handle) as unknown as HnswIndexOptions);
	}

	/** A handle to attach to this index by in another thread. Each closes its own object; the last frees the memory. */
	share(): IndexHandle<'HnswIndex'> {
		return {kind: 'HnswIndex', token: this.token()};
	}
}

function create(options: HnswIndexOptions): Binding.NativeVectorIndex {
	const {dim, similarity = 'dot', metadata = {}, m = 24, efConstruction = 200, seed = 42, innerProduct = 'graph', threads = 0} = options;
	checkCount('dim', dim, 1, 65_536);
	checkCount('m', m, 2, 1024);
	checkCount('efConstruction', efConstruction, 1);
	checkCount('seed', seed, 0);
	checkCount('threads', threads, 0);
	checkOneOf('innerProduct', innerProduct, ['graph', 'augmentedL2']);
	return callSync(() =>
		native.newHnswIndex({
			dim,
			similarity: checkedSimilarity(similarity),
			metadata: checkedMetadata(metadata),
			m,
			efConstruction,
			seed,
			innerProduct,
			threads,
		}),
	);
}
