import {checkCount, checkOneOf, checkString, isInstance} from '../core/checks.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkGiven, checkOptions, optionNames} from '../core/options.ts';
import type {CallOptions, SearchManyOptions, SearchOptions} from '../core/types.ts';
import type {FlatIndexOptions} from './flat-index.ts';
import {type IndexHandle, attached} from './index-handle.ts';
import type {VectorFilterOptions} from './vector-filter.ts';
import {NativeVectorIndex} from './native-vector-index.ts';
import {type Ef, type OpenIndexOptions, checkedMetadata, checkedOpen, checkedSimilarity} from './vector-index.ts';

const layouts = ['fast', 'compact'] as const;
export type HnswLayout = (typeof layouts)[number];

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
	/**
	What is stored beside vectors and links: `fast`, above dimension 128, has a line of memory a vector more than `compact`
	(of 384 numbers 0.31 in place of 0.27 of the vectors' size), by which walks are up to 1.5 times as fast. @default 'fast'
	*/
	readonly layout?: HnswLayout | undefined;
	/** Threads that `add` uses; 1 gives the same graph every time. @default all cores */
	readonly threads?: number | undefined;
}

/** Dimension, similarity and metadata are those of the flat index. */
export interface HnswBuildOptions extends Omit<HnswIndexOptions, keyof FlatIndexOptions>, CallOptions {}

export interface HnswSearchOptions extends SearchOptions, VectorFilterOptions, Ef {}
export interface HnswSearchManyOptions extends SearchManyOptions, VectorFilterOptions, Ef {}

const graphNames = {m: true, efConstruction: true, seed: true, innerProduct: true, layout: true, threads: true} as const;
const newOptions: OptionNames = optionNames<HnswIndexOptions>({...graphNames, dim: true, similarity: true, metadata: true});
const buildOptions: OptionNames = optionNames<HnswBuildOptions>({...callNames, ...graphNames});

/** Approximate search: walks a navigable small-world graph (Malkov & Yashunin, 2018). Scores are exact. */
export class HnswIndex extends NativeVectorIndex {
	constructor(options: HnswIndexOptions) {
		// `open` passes an index that exists already.
		super(isInstance(options, native.NativeVectorIndex) ? options : create(options));
	}

	/**
	Links the vectors of the flat index file `flat` into an index file at `path`, with the same ids and metadata, and opens
	it. The vectors stay in their file: memory is for the graph. A file that is there is replaced whole or not at all.
	Progress counts vectors.
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

	/** Opens a saved index, memory-mapped unless `inMemory` is set. Rejects with the same errors as `FlatIndex.open`. */
	static async open(path: string, options: OpenIndexOptions = {}): Promise<HnswIndex> {
		const opening = checkedOpen(path, options);
		return new HnswIndex((await callNative({}, () => native.openHnswIndex(path, opening))) as unknown as HnswIndexOptions);
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
	checkGiven('HnswIndex', options, newOptions);
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
	readonly layout: string;
	readonly threads: number;
}

/** How a graph is built, with defaults; `of` begins the messages of what is refused. */
export function checkedGraph(options: HnswBuildOptions, of = ''): Graph {
	const {m = 24, efConstruction = 200, seed = 42, innerProduct = 'graph', layout = 'fast', threads = 0} = options;
	checkCount(`${of}m`, m, 2, 1024);
	checkCount(`${of}efConstruction`, efConstruction, 1);
	checkCount(`${of}seed`, seed, 0);
	checkCount(`${of}threads`, threads, 0);
	checkOneOf(`${of}innerProduct`, innerProduct, ['graph', 'augmentedL2']);
	checkOneOf(`${of}layout`, layout, layouts);
	return {m, efConstruction, seed, innerProduct, layout, threads};
}
