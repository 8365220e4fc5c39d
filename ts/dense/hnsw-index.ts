/** The approximate vector index, `HnswIndex`: a hierarchical navigable small-world graph. */
import {checkCount, checkOneOf, checkString, isInstance} from '../core/checks.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions, SearchManyOptions, SearchOptions} from '../core/types.ts';
import type {FlatIndexOptions} from './flat-index.ts';
import {type IndexHandle, attached} from './index-handle.ts';
import type {VectorFilterOptions} from './vector-filter.ts';
import {NativeVectorIndex} from './native-vector-index.ts';
import {type EfSearchOption, type OpenIndexOptions, checkedMetadata, checkedOpen, checkedSimilarity} from './vector-index.ts';

/** What a graph stores in addition to vectors and adjacency lists: see `HnswIndexOptions.layout`. */
export type HnswLayout = 'fast' | 'compact';

const layouts: readonly HnswLayout[] = ['fast', 'compact'];

/** The options of an approximate index. */
export interface HnswIndexOptions extends Omit<FlatIndexOptions, 'storage'> {
	/** Maximum number of neighbors per node above layer 0; layer 0 has `2 * m`. @default 24 */
	readonly m?: number | undefined;
	/** Size of the candidate queue when vectors are inserted: larger values give better graphs and take longer. @default 200 */
	readonly efConstruction?: number | undefined;
	/** Seed for drawing the top layer of each node. With one thread, the same seed and insertion order give the same graph. @default 42 */
	readonly seed?: number | undefined;
	/**
	How the graph is built with `similarity: 'dot'`. With `graph`, nodes are compared by their inner products. With `augmentedL2`, they are
	compared by the Euclidean distances of the augmented vectors (x, √(φ² − |x|²)), where φ is the length of the longest vector (Bachrach
	et al., 2014). @default 'graph'
	*/
	readonly innerProduct?: 'graph' | 'augmentedL2' | undefined;
	/**
	What is stored in addition to vectors and adjacency lists. Above dimension 128, `fast` stores 64 more bytes per vector than `compact`, and
	searches are up to 1.5 times as fast. At dimension 384, all memory besides the vectors, adjacency lists included, is 31% of the size of
	the vectors for `fast` and 27% for `compact`.
	@default 'fast'
	*/
	readonly layout?: HnswLayout | undefined;
	/** Number of threads that insert vectors. With 1, the graph is the same every time. @default one per core */
	readonly threads?: number | undefined;
}

/** The options of `HnswIndex.build`; dimension, similarity and metadata are those of the flat index. */
export interface HnswBuildOptions extends Omit<HnswIndexOptions, keyof FlatIndexOptions>, CallOptions {}

/** The options of `HnswIndex.search`. */
export interface HnswSearchOptions extends SearchOptions, VectorFilterOptions, EfSearchOption {}
/** The options of `HnswIndex.searchMany`. */
export interface HnswSearchManyOptions extends SearchManyOptions, VectorFilterOptions, EfSearchOption {}

const graphNames = {m: true, efConstruction: true, seed: true, innerProduct: true, layout: true, threads: true} as const;
const newOptions: OptionNames = optionNames<HnswIndexOptions>({...graphNames, dim: true, similarity: true, metadata: true});
const buildOptions: OptionNames = optionNames<HnswBuildOptions>({...callNames, ...graphNames});

/**
Searches vectors approximately, in a hierarchical navigable small-world graph (Malkov and Yashunin, 2018). A search may miss some of the
nearest vectors, but the scores of those that it finds are exact.

@example
```
const index = new HnswIndex({dim: 2, m: 16});
await index.add(['a', 'b'], {data: Float32Array.of(1, 0, 0, 1), rows: 2, dim: 2});
await index.search(Float32Array.of(2, 1), {k: 1, efSearch: 64});
//=> [{id: 'a', score: 2}]
```
*/
export class HnswIndex extends NativeVectorIndex {
	/** Creates an empty index in memory. */
	constructor(options: HnswIndexOptions) {
		// `open` and `attach` pass an index of the addon instead of options.
		super(isInstance(options, native.NativeVectorIndex) ? options : create(options));
	}

	/**
	Builds a graph of the vectors in the flat index file `flat`, writes an index file with the graph, the vectors, their ids and metadata to
	`path`, and opens it. Only the graph is held in memory, not the vectors. An existing file is replaced atomically. Progress counts vectors.
	*/
	static async build(path: string, flat: string, options: HnswBuildOptions = {}): Promise<HnswIndex> {
		checkString('path', path);
		checkString('flat', flat);
		checkOptions('build', options, buildOptions);
		const {m, efConstruction, seed, innerProduct, layout, threads} = checkedGraph(options);
		await callNative(options, control =>
			native.buildHnswFromFlat(flat, path, m, efConstruction, seed, innerProduct, layout, threads, control),
		);
		return HnswIndex.open(path);
	}

	/** Opens a saved index, memory-mapped unless `inMemory` is set. Fails with the same errors as `FlatIndex.open`. */
	static async open(path: string, options: OpenIndexOptions = {}): Promise<HnswIndex> {
		const opening = checkedOpen(path, options);
		return new HnswIndex((await callNative({}, () => native.openHnswIndex(path, opening))) as unknown as HnswIndexOptions);
	}

	/** Returns the index that another thread shared with `share`. Both threads then use the same index. */
	static attach(handle: IndexHandle<'HnswIndex'>): HnswIndex {
		return new HnswIndex(attached('HnswIndex', handle) as unknown as HnswIndexOptions).shared();
	}

	/** Returns a handle to pass to `attach` in another thread. Each thread closes its own object; closing the last one frees the memory. */
	share(): IndexHandle<'HnswIndex'> {
		return {kind: 'HnswIndex', token: this.token()};
	}
}

function create(options: HnswIndexOptions): Binding.NativeVectorIndex {
	checkRequiredOptions('HnswIndex', options, newOptions);
	const {dim, similarity = 'dot', metadata = {}} = options;
	checkCount('dim', dim, 1, 65_536);
	const graph = checkedGraph(options);
	return callSync(() =>
		native.newHnswIndex({dim, similarity: checkedSimilarity(similarity), metadata: checkedMetadata(metadata), ...graph}),
	);
}

interface Graph {
	readonly m: number;
	readonly efConstruction: number;
	readonly seed: number;
	readonly innerProduct: string;
	readonly layout: HnswLayout;
	readonly threads: number;
}

/** Checks the parameters of a graph and adds the defaults. `prefix` is the start of error messages. */
export function checkedGraph(options: HnswBuildOptions, prefix = ''): Graph {
	const {m = 24, efConstruction = 200, seed = 42, innerProduct = 'graph', layout = 'fast', threads = 0} = options;
	checkCount(`${prefix}m`, m, 2, 1024);
	checkCount(`${prefix}efConstruction`, efConstruction, 1);
	checkCount(`${prefix}seed`, seed, 0);
	checkCount(`${prefix}threads`, threads, 0);
	checkOneOf(`${prefix}innerProduct`, innerProduct, ['graph', 'augmentedL2']);
	checkOneOf(`${prefix}layout`, layout, layouts);
	return {m, efConstruction, seed, innerProduct, layout, threads};
}
