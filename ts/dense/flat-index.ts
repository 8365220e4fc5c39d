import {checkCount} from '../check.ts';
import {type Binding, callNative, callSync, native} from '../native.ts';
import {type IndexMetadata, NativeVectorIndex, type Similarity, checkedMetadata, checkedSimilarity} from './vector-index.ts';

export interface FlatIndexOptions {
	/** Length of the vectors. */
	readonly dim: number;
	/** @default 'dot' */
	readonly similarity?: Similarity | undefined;
	/** Kept in the file. @default {} */
	readonly metadata?: IndexMetadata | undefined;
}

/**
Exact search: scores every vector.

@example
```
const index = new FlatIndex({dim: 2});
await index.add(['a', 'b'], {data: Float32Array.of(1, 0, 0, 1), rows: 2, dim: 2});
await index.search(Float32Array.of(2, 1), {k: 1});
//=> [{id: 'a', score: 2}]
```
*/
export class FlatIndex extends NativeVectorIndex<Binding.NativeFlatIndex, object> {
	constructor(options: FlatIndexOptions) {
		// `open` passes an index that exists already.
		super(options instanceof native.NativeFlatIndex ? options : create(options));
	}

	/** Memory-maps a saved index: its vectors are read when it is searched. */
	static async open(path: string): Promise<FlatIndex> {
		return new FlatIndex((await callNative({}, () => native.openFlatIndex(path))) as unknown as FlatIndexOptions);
	}

	/** @internal */
	protected override async startSearch(query: Float32Array, k: number, _options: object, control: Binding.Control): Promise<Binding.Hits> {
		return this.native.search(query, k, control);
	}

	/** @internal */
	protected override async startSearchMany(
		queries: Binding.VectorBatch,
		k: number,
		threads: number,
		_options: object,
		control: Binding.Control,
	): Promise<Binding.NativeRun> {
		return this.native.searchMany(queries, k, threads, control);
	}
}

function create({dim, similarity = 'dot', metadata = {}}: FlatIndexOptions): Binding.NativeFlatIndex {
	checkCount('dim', dim, 1, 65_536);
	return callSync(() => new native.NativeFlatIndex(dim, checkedSimilarity(similarity), checkedMetadata(metadata)));
}
