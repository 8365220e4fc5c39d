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
- `f16`: half precision, 2 bytes per number. Numbers are rounded to 11 bits when they are added; numbers beyond ±65,504 are rejected.
  Scores are those of the rounded vectors.
- `int8Filtered`: single precision, plus an 8-bit quantized copy of each number. A search reads the copy first and scores only the
  vectors that it does not rule out; hits and scores are those of `f32`, bit for bit. Single queries read about a quarter of the
  memory. Batches of queries compute less if the CPU has instructions for products of bytes.
*/
export type FlatStorage = 'f32' | 'f16' | 'int8Filtered';

/** @internal */
export const storages: readonly FlatStorage[] = ['f32', 'f16', 'int8Filtered'];

export interface FlatIndexOptions {
	/** Length of the vectors. */
	readonly dim: number;
	/** @default 'dot' */
	readonly similarity?: Similarity | undefined;
	/** @default 'f32' */
	readonly storage?: FlatStorage | undefined;
	/** Plain JSON, stored in the file. @default {} */
	readonly metadata?: IndexMetadata | undefined;
}

export interface FlatBuildOptions extends Omit<FlatIndexOptions, 'dim'>, VectorFileOptions {
	/** Length of the vectors. Required for `raw` files; other files are rejected if they have another length. @default the length in the file */
	readonly dim?: number | undefined;
}

const newNames = {dim: true, similarity: true, storage: true, metadata: true} as const;
const newOptions: OptionNames = optionNames<FlatIndexOptions>(newNames);
const buildOptions: OptionNames = optionNames<FlatBuildOptions>({...callNames, ...newNames, ...fileNames});

/**
Searches vectors exactly: every query is compared with all of them.

@example
```
const index = new FlatIndex({dim: 2});
await index.add(['a', 'b'], {data: Float32Array.of(1, 0, 0, 1), rows: 2, dim: 2});
await index.search(Float32Array.of(2, 1), {k: 1});
//=> [{id: 'a', score: 2}]
```
*/
export class FlatIndex extends NativeVectorIndex {
	constructor(options: FlatIndexOptions) {
		// `open` passes an index of the addon.
		super(isInstance(options, native.NativeVectorIndex) ? options : create(options));
	}

	/**
	Builds an index file at `path` from a file of vectors, and opens it. Only the ids and a few megabytes of vectors are held in memory;
	with `int8Filtered`, the quantized copy too. An existing file is replaced atomically. Progress counts vectors.

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
	Opens a saved index. It is memory-mapped, so vectors are read from disk when they are first searched, unless `inMemory` is set.
	Fails with `ERR_IO` if the path is not a regular file, with `ERR_INDEX_CORRUPT` if the file is damaged, and with
	`ERR_INDEX_VERSION` if it has another format version.
	*/
	static async open(path: string, options: OpenIndexOptions = {}): Promise<FlatIndex> {
		const opening = checkedOpen(path, options);
		return new FlatIndex((await callNative({}, () => native.openFlatIndex(path, opening))) as unknown as FlatIndexOptions);
	}

	/** Returns the index that another thread shared. Both threads then use the same index. */
	static attach(handle: IndexHandle<'FlatIndex'>): FlatIndex {
		return new FlatIndex(attached('FlatIndex', handle) as unknown as FlatIndexOptions);
	}

	/** The storage that the index was created with. */
	get storage(): FlatStorage {
		return this.nativeStorage() as FlatStorage;
	}

	/** Returns a handle to pass to `attach` in another thread. Each thread closes its own object; the last one frees the memory. */
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
