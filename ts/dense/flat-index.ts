/** The exact vector index, `FlatIndex`. */
import {checkCount, checkOneOf, checkString, isInstance} from '../core/checks.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkRequiredOptions, checkOptions, optionNames} from '../core/options.ts';
import {type IndexHandle, attached} from './index-handle.ts';
import {NativeVectorIndex} from './native-vector-index.ts';
import {type VectorFileOptions, fileNames, vectorSource} from './vector-file.ts';
import {
	type IndexMetadata,
	type OpenIndexOptions,
	type Similarity,
	checkedMetadata,
	checkedOpen,
	checkedSimilarity,
} from './vector-index.ts';

/**
How a flat index stores its vectors.

- `f32`: single precision, 4 bytes per number.
- `f16`: half precision, 2 bytes per number. When vectors are added, their numbers are rounded to 11 significant bits; numbers beyond
  ±65,504 are rejected. Scores are those of the rounded vectors.
- `int8Rescored`: single precision, plus an int8 code for each number. A search reads the codes first and scores only the vectors
  that the codes do not rule out; hits and scores are those of `f32`, bit for bit. A single query reads about a quarter of
  the memory that it reads with `f32`. A batch of queries also takes less arithmetic, except on x86-64 CPUs without AVX2, and on
  64-bit ARM CPUs without dot-product instructions. With up to about 128 dimensions, a single query is no faster than with `f32`, or
  slower, unless the vectors do not fit in the CPU's cache. The codes are used only if there are enough vectors per hit (the number of
  vectors divided by `k`): at least 40 for up to three queries, 10 for four to eight, and 64 for more.
*/
export type FlatStorage = 'f32' | 'f16' | 'int8Rescored';

/** @internal */
export const storages: readonly FlatStorage[] = ['f32', 'f16', 'int8Rescored'];

/** The options of an exact index. */
export interface FlatIndexOptions {
	/** Number of dimensions of the vectors, 1 to 65,536. */
	readonly dim: number;
	/** How vectors are scored. @default 'dot' */
	readonly similarity?: Similarity | undefined;
	/** How vectors are stored. @default 'f32' */
	readonly storage?: FlatStorage | undefined;
	/** Plain JSON that is stored in the index file. @default {} */
	readonly metadata?: IndexMetadata | undefined;
}

/** The options of `FlatIndex.build`. */
export interface FlatBuildOptions extends Omit<FlatIndexOptions, 'dim'>, VectorFileOptions {
	/**
	Number of dimensions of the vectors, 1 to 65,536. Required for `raw` files. A file in any other format is rejected if its vectors have a
	different dimension.
	@default the dimension of the vectors in the file
	*/
	readonly dim?: number | undefined;
}

const newNames = {dim: true, similarity: true, storage: true, metadata: true} as const;
const newOptions: OptionNames = optionNames<FlatIndexOptions>(newNames);
const buildOptions: OptionNames = optionNames<FlatBuildOptions>({...callNames, ...newNames, ...fileNames});

/**
Searches vectors exactly: every query is compared with all vectors.

@example
```
const index = new FlatIndex({dim: 2});
await index.add(['a', 'b'], {data: Float32Array.of(1, 0, 0, 1), rows: 2, dim: 2});
await index.search(Float32Array.of(2, 1), {k: 1});
//=> [{id: 'a', score: 2}]
```
*/
export class FlatIndex extends NativeVectorIndex {
	/** Creates an empty index in memory. */
	constructor(options: FlatIndexOptions) {
		// `open` and `attach` pass an index of the addon instead of options.
		super(isInstance(options, native.NativeVectorIndex) ? options : create(options));
	}

	/**
	Builds an index file at `path` from the vector file `source`, and opens it. Memory holds only the ids, a few megabytes of
	vectors and, with `int8Rescored`, the codes. An existing file at `path` is replaced atomically. Progress counts vectors.

	@example
	```
	await using flat = await FlatIndex.build('./flat.pkflat', './vectors.npy', {idsPath: './ids.txt'});
	await using hnsw = await HnswIndex.build('./hnsw.pkhnsw', './flat.pkflat', {m: 16});
	```
	*/
	static async build(path: string, source: string, options: FlatBuildOptions = {}): Promise<FlatIndex> {
		checkString('path', path);
		checkOptions('build', options, buildOptions);
		const {dim, similarity = 'dot', storage = 'f32', metadata = {}} = options;
		if (dim !== undefined) {
			checkCount('dim', dim, 1, 65_536);
		}
		const index = checkedIndex({dim: dim ?? 0, similarity, storage, metadata});
		const {options: file, ids} = await vectorSource('build', source, options);
		await callNative(options, control => native.buildFlatFromFile(source, path, file, ids, index, control));
		return FlatIndex.open(path);
	}

	/**
	Opens a saved index. The file is memory-mapped, so vectors are read from disk when they are first searched, unless `inMemory` is set.
	Fails with `ERR_IO` if the path is not a regular file, with `ERR_INDEX_CORRUPT` if the file is damaged, and with `ERR_INDEX_VERSION`
	if this version of passagekit cannot read its format.
	*/
	static async open(path: string, options: OpenIndexOptions = {}): Promise<FlatIndex> {
		const opening = checkedOpen(path, options);
		return new FlatIndex((await callNative({}, () => native.openFlatIndex(path, opening))) as unknown as FlatIndexOptions);
	}

	/** Returns the index that another thread shared with `share`. Both threads then use the same index. */
	static attach(handle: IndexHandle<'FlatIndex'>): FlatIndex {
		return new FlatIndex(attached('FlatIndex', handle) as unknown as FlatIndexOptions).shared();
	}

	/** The storage that the index was created with. */
	get storage(): FlatStorage {
		return this.nativeStorage() as FlatStorage;
	}

	/** Returns a handle to pass to `attach` in another thread. Each thread closes its own object; closing the last one frees the memory. */
	share(): IndexHandle<'FlatIndex'> {
		return {kind: 'FlatIndex', token: this.token()};
	}
}

function create(options: FlatIndexOptions): Binding.NativeVectorIndex {
	checkRequiredOptions('FlatIndex', options, newOptions);
	const {dim, similarity = 'dot', storage = 'f32', metadata = {}} = options;
	checkCount('dim', dim, 1, 65_536);
	const index = checkedIndex({dim, similarity, storage, metadata});
	return callSync(() => native.newFlatIndex(index));
}

function checkedIndex({
	dim,
	similarity,
	storage,
	metadata,
}: {[K in keyof FlatIndexOptions]-?: NonNullable<FlatIndexOptions[K]>}): Binding.NativeFlatOptions {
	checkOneOf('storage', storage, storages);
	return {dim, similarity: checkedSimilarity(similarity), storage, metadata: checkedMetadata(metadata)};
}
