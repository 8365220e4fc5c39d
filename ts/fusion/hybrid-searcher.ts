import {checkCount} from '../check.ts';
import {RetrievalError} from '../errors.ts';
import type {Hit, Query, Run, SearchManyOptions, SearchOptions, Searcher} from '../types.ts';
import {type FusionMethod, checkFusion, fuse} from './fuse.ts';

export interface HybridSearcherOptions {
	readonly dense: Searcher;
	readonly sparse: Searcher;
	/** @default {method: 'dprHybrid', lambda: 1.1} */
	readonly fusion?: FusionMethod | undefined;
	/** Hits taken from each searcher before fusing (k'); raised to `k`. @default 1000 */
	readonly depth?: number | undefined;
}

/** Ranks by two searchers at once and fuses their lists. */
export class HybridSearcher implements Searcher {
	readonly #dense: Searcher;
	readonly #sparse: Searcher;
	readonly #fusion: FusionMethod;
	readonly #depth: number;

	constructor({dense, sparse, fusion = {method: 'dprHybrid'}, depth = 1000}: HybridSearcherOptions) {
		for (const [name, searcher] of Object.entries({dense, sparse})) {
			if (typeof searcher?.search !== 'function') {
				throw new RetrievalError('ERR_ARGUMENT', `HybridSearcher: expected a searcher as ${name}`);
			}
		}
		checkFusion(fusion);
		checkCount('depth', depth, 1);
		this.#dense = dense;
		this.#sparse = sparse;
		this.#fusion = fusion;
		this.#depth = depth;
	}

	async search(query: string, options: SearchOptions = {}): Promise<Hit[]> {
		const {k = 100, signal} = options;
		checkCount('k', k, 0);
		const depth = Math.max(k, this.#depth);
		const [dense, sparse] = await Promise.all([
			this.#dense.search(query, {k: depth, signal}),
			this.#sparse.search(query, {k: depth, signal}),
		]);
		const fused = await fuse({dense: new Map([['', dense]]), sparse: new Map([['', sparse]])}, this.#fusion, {k, signal});
		return [...(fused.get('') ?? [])];
	}

	async searchMany(queries: readonly Query[], options: SearchManyOptions = {}): Promise<Run> {
		const {k = 100, signal, threads, onProgress} = options;
		checkCount('k', k, 0);
		const depth = Math.max(k, this.#depth);
		const [dense, sparse] = await Promise.all([
			this.#dense.searchMany(queries, {k: depth, signal, threads, onProgress}),
			this.#sparse.searchMany(queries, {k: depth, signal, threads}),
		]);
		return fuse({dense, sparse}, this.#fusion, {k, signal});
	}
}
