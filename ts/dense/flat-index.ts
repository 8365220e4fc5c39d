import {checkCount, checkOneOf, checkString, isInstance} from '../core/checks.ts';
import {type Binding, callNative, callSync, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkGiven, checkOptions, optionNames} from '../core/options.ts';
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
How a flat index keeps its vectors.

- `f32`: single precision, 4 bytes a number.
- `f16`: half precision, 2 bytes a number. Numbers are rounded to 11 bits when they are added, those beyond 65,504 refused; scores are those of the rounded vectors.
- `int8Filtered`: single precision, and a code of 8 bits beside each number. A search reads the codes and scores only what they do not rule out: hits and scores are those of `f32`, bit for bit. One query at a time reads about a quarter of the memory; many compute less where the CPU multiplies bytes.
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
	/** Kept in the file. @default {} */
	readonly metadata?: IndexMetadata | undefined;
}

export interface FlatBuildOptions extends Omit<FlatIndexOptions, 'dim'>, VectorFileOptions {
	/** Length of the vectors: needed for `raw` files, and refused if another file has another. @default the file's */
	readonly dim?: number | undefined;
}

const newNames = {dim: true, similarity: true, storage: true, metadata: true} as const;
const newOptions: OptionNames = optionNames<FlatIndexOptions>(newNames);
const buildOptions: OptionNames = optionNames<FlatBuildOptions>({...callNames, ...newNames, ...fileNames});

/**
Exact search: the best of all vectors.

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
		// `open` passes an index that exists already.
		super(isInstance(options, native.NativeVectorIndex) ? options : create(options));
	}

	/**
	Writes the vectors of a file to an index file at `path`, and opens it. No more than a few megabytes and the ids are held
	in memory, with `int8Filtered` the codes too. A file that is there is replaced whole or not at all. Progress counts
	vectors.

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
	Opens a saved index, memory-mapped unless `inMemory` is set: its vectors are read when it is searched. Rejects with `ERR_IO` if
	it is not a regular file, `ERR_INDEX_CORRUPT` if it is damaged, `ERR_INDEX_VERSION` if it has another format version.
	*/
	static async open(path: string, options: OpenIndexOptions = {}): Promise<FlatIndex> {
		const opening = checkedOpen(path, options);
		return new FlatIndex((await callNative({}, () => native.openFlatIndex(path, opening))) as unknown as FlatIndexOptions);
	}

	/** The index of another thread, which both then have in common. */
	static attach(handle: IndexHandle<'FlatIndex'>): FlatIndex {
		return new FlatIndex(attached('FlatIndex', handle) as unknown as FlatIndexOptions);
	}

	/** As the index was made, also one opened from a file. */
	get storage(): FlatStorage {
		return this.nativeStorage() as FlatStorage;
	}

	/** A handle to attach to this index by in another thread. Each closes its own object; the last frees the memory. */
	share(): IndexHandle<'FlatIndex'> {
		return {kind: 'FlatIndex', token: this.token()};
	}
}

function create(options: FlatIndexOptions): Binding.NativeVectorIndex {
	checkGiven('FlatIndex', options, newOptions);
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
