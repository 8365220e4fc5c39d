/** An open remote index: its connection and schema, and the analyzer and encoders with which this process reads and writes it. */
import {isDeepStrictEqual} from 'node:util';
import {RetrievalError} from '../../core/errors.ts';
import type {CollectionEncoders} from '../../collection/live/encoders.ts';
import type {Connection} from '../connection/connection.ts';
import type {TermAnalyzer} from './analyzer.ts';
import {type Schema, readSchema} from './schema.ts';

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

	constructor(parts: RemoteIndexParts) {
		this.parts = parts;
		this.#index = parts.index;
	}

	/** The major version of the cluster. */
	get major(): number {
		return Number.parseInt(this.parts.version, 10);
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
	Returns the concrete index that now has the name. If an alias was moved to another index, that index must have the same schema, because
	this process would otherwise write other terms or vectors than the index expects, or misread its scores.
	*/
	async current(signal?: AbortSignal): Promise<string> {
		const {connection, name, schema} = this.parts;
		const found = await readSchema(connection, name, signal);
		if (found.index !== this.#index && !isDeepStrictEqual(found.schema, schema)) {
			throw new RetrievalError(
				'ERR_REMOTE',
				`${name}: expected an index with the settings of ${this.#index}, got ${found.index}, to which the alias was moved and whose settings differ; close the collection and open it again`,
			);
		}
		this.#index = found.index;
		return found.index;
	}

	/** Checks an index that an answer named: see `current`. Costs nothing unless an alias was moved. */
	async checkIndex(index: string | undefined, signal?: AbortSignal): Promise<void> {
		if (index !== undefined && index !== this.#index) {
			await this.current(signal);
		}
	}

	async close(): Promise<void> {
		const {connection, analyzer, encoders} = this.parts;
		await connection.close();
		analyzer.close();
		await encoders?.close();
	}
}
