/** An open remote index: its connection and schema, and the analyzer and encoders with which this process reads and writes it. */
import {isDeepStrictEqual} from 'node:util';
import {RetrievalError} from '../../core/errors.ts';
import type {CollectionEncoders} from '../../collection/live/encoders.ts';
import type {Connection} from '../connection/connection.ts';
import {isMissingIndexError} from '../connection/errors.ts';
import type {TermAnalyzer} from './analyzer.ts';
import {type FoundIndex, type Schema, readSchema} from './schema.ts';

/** How often an answer is asked for whose parts are from several indexes, because an alias was moved. */
const MAX_ATTEMPTS = 8;

/** The parts of an open index. */
export interface RemoteIndexParts {
	readonly connection: Connection;
	/** The name of the index or the alias that the caller gave. */
	readonly name: string;
	/** The concrete index behind the name. */
	readonly index: string;
	/** The version of the cluster. */
	readonly version: string;
	readonly schema: Schema;
	readonly analyzer: TermAnalyzer;
	/** `undefined` if the index has no vectors. */
	readonly encoders: CollectionEncoders | undefined;
}

/** An open remote index. */
export class RemoteIndex {
	readonly parts: RemoteIndexParts;
	#index: string;
	/** Number of times this process has found that the name has another index than before. */
	#moveCount = 0;

	constructor(parts: RemoteIndexParts) {
		this.parts = parts;
		this.#index = parts.index;
	}

	/** The major version of the cluster. */
	get major(): number {
		return majorOf(this.parts.version);
	}

	/** The dimension of the vectors; `undefined` without vectors. */
	get dim(): number | undefined {
		return this.parts.schema.vectors?.dim;
	}

	/** Fails with `ERR_ARGUMENT` if the index has no vectors. */
	encoders(): CollectionEncoders {
		const {encoders, name} = this.parts;
		if (encoders === undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `${name}: expected an index with vectors, got one without; use the bm25 retriever`);
		}
		return encoders;
	}

	/**
	Returns the concrete index that now has the name. If an alias was moved to another index, or the index was deleted and created again, that
	index must have the same schema, because this process would otherwise write other terms or vectors than the index expects, or misread its
	scores.
	*/
	async current(signal?: AbortSignal): Promise<string> {
		const {index} = await this.#found(signal);
		return index;
	}

	async #found(signal: AbortSignal | undefined): Promise<FoundIndex> {
		const {connection, name, schema} = this.parts;
		const found = await readSchema(connection, name, signal);
		if (!isDeepStrictEqual(found.schema, schema)) {
			const got =
				found.index === this.#index
					? 'one that was deleted and created again, and whose settings differ'
					: `${found.index}, to which the alias was moved and whose settings differ`;
			throw new RetrievalError(
				'ERR_REMOTE',
				`${name}: expected an index with the settings of ${this.#index}, got ${got}; close the collection and open it again`,
			);
		}
		this.#moveCount += found.index === this.#index ? 0 : 1;
		this.#index = found.index;
		return found;
	}

	/**
	Returns an answer whose parts are all from the index that now has the name. `attempt` returns an answer with the index of each part, which
	is `undefined` for an empty part. If an alias was moved meanwhile, the attempt is repeated. Costs nothing unless an alias was moved or a
	part is empty.
	*/
	async consistently<T>(
		attempt: () => Promise<{readonly answer: T; readonly indexes: ReadonlySet<string | undefined>}>,
		signal?: AbortSignal,
	): Promise<T> {
		for (let attempts = 1; ; attempts++) {
			const {answer, indexes} = await attempt();
			if (indexes.size === 0 || (indexes.size === 1 && indexes.has(this.#index))) {
				return answer;
			}
			const current = await this.current(signal);
			if (Array.from(indexes).every(index => index === undefined || index === current)) {
				return answer;
			}
			if (attempts === MAX_ATTEMPTS) {
				throw this.#movedTooOften(`some of ${Array.from(indexes).filter(Boolean).join(' and ')}`);
			}
		}
	}

	/**
	Returns the answers of several requests, which are all from one index. If an alias was moved meanwhile, the attempt is repeated; `isMoved`
	says whether that happened, so that the attempt can end early.
	*/
	async together<T>(attempt: (isMoved: () => boolean) => Promise<T>, signal?: AbortSignal): Promise<T> {
		for (let attempts = 1; ; attempts++) {
			await this.current(signal);
			const before = this.#moveCount;
			const isMoved = (): boolean => this.#moveCount !== before;
			const answers = await attempt(isMoved);
			if (!isMoved()) {
				return answers;
			}
			if (attempts === MAX_ATTEMPTS) {
				throw this.#movedTooOften('some of several indexes');
			}
		}
	}

	/**
	Writes to the index that now has the name. If that index is deleted meanwhile, the cluster creates it again for the next write, without its
	settings, and then this fails.
	*/
	async toCurrent<T>(write: (index: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
		const {connection} = this.parts;
		const {index: concrete, creation} = await this.#found(signal);
		const result = await write(concrete);
		const after = await readSchema(connection, concrete, signal).catch((error: unknown) => {
			if (error instanceof RetrievalError && (error.code === 'ERR_ARGUMENT' || isMissingIndexError(error.cause))) {
				return undefined;
			}
			throw error;
		});
		if (after?.creation !== creation) {
			throw new RetrievalError(
				'ERR_REMOTE',
				`${concrete}: expected the index that the call began with, got one that was deleted during the call; if it exists, the cluster created it again without its settings: delete it, and repeat the call`,
			);
		}
		return result;
	}

	/** Reads from the index that now has the name: again, if an alias was moved and its old index deleted meanwhile. */
	async onCurrent<T>(read: (index: string) => Promise<T>, signal?: AbortSignal): Promise<T> {
		for (let index = await this.current(signal); ; ) {
			try {
				return await read(index);
			} catch (error) {
				// If the cluster does not answer now either, the first error is the one to report.
				const next = await this.current(signal).catch(() => index);
				if (next === index) {
					throw error;
				}
				index = next;
			}
		}
	}

	#movedTooOften(got: string): RetrievalError {
		const message = `${this.parts.name}: expected answers of one index, got ${got} in each of ${MAX_ATTEMPTS} attempts, because the alias was moved again and again`;
		return new RetrievalError('ERR_REMOTE', message);
	}

	async close(): Promise<void> {
		const {connection, analyzer, encoders} = this.parts;
		await connection.close();
		analyzer.close();
		await encoders?.close();
	}
}

/** Returns the major version of a version. */
export function majorOf(version: string): number {
	return Number.parseInt(version, 10);
}
