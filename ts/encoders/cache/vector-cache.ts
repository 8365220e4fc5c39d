/** Caches of vectors. The key of a vector is a hash of its encoder's identity and its text. */
import {createHash} from 'node:crypto';

/**
Stores vectors of texts, so that no text is encoded twice. `FileVectorCache` stores them in a file. Implement this interface to store
vectors elsewhere, for example in a database.
*/
export interface VectorCache {
	/** Returns the vector of each key, in the order of the keys, or `undefined` where the cache has none. */
	get(keys: string[]): Promise<ReadonlyArray<Float32Array | undefined>>;
	/** Stores vectors by their keys. `encode` does not settle before the returned promise does. */
	set(entries: Array<readonly [key: string, vector: Float32Array]>): Promise<void>;
}

/**
The key of a text: the SHA-256, in hexadecimal, of the JSON array `[identity, text]`. JSON escapes lone surrogates, which UTF-8 cannot
encode, so different texts have different keys.
*/
export function cacheKey(identity: string, text: string): string {
	return createHash('sha256')
		.update(JSON.stringify([identity, text]))
		.digest('hex');
}

/** A cache in memory, which lives as long as its encoder and has no size limit. */
export class MemoryVectorCache implements VectorCache {
	readonly #vectors = new Map<string, Float32Array>();

	async get(keys: string[]): Promise<Array<Float32Array | undefined>> {
		return keys.map(key => this.#vectors.get(key));
	}

	async set(entries: Array<readonly [key: string, vector: Float32Array]>): Promise<void> {
		for (const [key, vector] of entries) {
			this.#vectors.set(key, vector);
		}
	}
}
