/** A client of a cluster in memory, for tests of what is sent and of failures at chosen requests. It stores passages, and its searches find none. */
import type {ExecutionContext} from 'ava';
import {OpenSearchCollection, type OpenSearchClient, type OpenSearchCreateOptions} from '../../../ts/remote/index.ts';

/** A stored passage. */
export type Stored = Readonly<Record<string, unknown>> & {readonly number: number; readonly count: number; readonly added: number};

/** A request. */
export interface Sent {
	readonly method: string;
	readonly path: string;
	readonly query: Readonly<Record<string, unknown>>;
	readonly lines: ReadonlyArray<Readonly<Record<string, unknown>>>;
}

/** One write of a bulk request. */
export interface SentWrite {
	readonly action: string;
	readonly id: string;
}

/** The answer to one write: see the bulk API. */
type Item = Readonly<Record<string, {readonly status: number; readonly error?: unknown}>>;

/** Fails like the official client after an answer with this status. */
export function answerError(status: number): Error {
	const body = {error: {type: 'test_exception', reason: 'of a test'}, status};
	return Object.assign(new Error('answer'), {name: 'ResponseError', statusCode: status, body});
}

/** A cluster in memory. */
export class FakeCluster implements OpenSearchClient {
	readonly stored = new Map<string, Stored>();
	/** The bulk requests so far. */
	readonly bulks: Sent[] = [];
	/** Called before each request. */
	onRequest: (sent: Sent) => void = () => {};
	/** Called before each bulk request, with its number from 1. May throw, or return an answer of its own. */
	onBulk: (number: number, sent: Sent) => unknown = () => undefined;
	/** Called for each write, and may refuse it. */
	onWrite: (write: SentWrite) => Item | undefined = () => undefined;
	/** The name of the index behind the name `fake`. */
	index = 'fake';
	version = '3.0.0';
	#mapping: unknown;

	readonly transport: OpenSearchClient['transport'] = {
		request: params => {
			const {method, path, querystring = {}, body, bulkBody = ''} = params;
			const lines = bulkBody
				.split('\n')
				.filter(line => line !== '')
				.map(line => JSON.parse(line) as Record<string, unknown>);
			const sent = {method, path, query: querystring, lines};
			return this.#answer(sent, body === undefined ? {} : JSON.parse(body)).then(answer => ({body: answer}));
		},
	};

	/** The ids of the stored passages, in order. */
	get ids(): string[] {
		return [...this.stored.keys()].sort();
	}

	/** The ids of the stored passages, in the order in which they were added. */
	get order(): string[] {
		return [...this.stored].sort(([a, {added: x}], [b, {added: y}]) => x - y || (a < b ? -1 : 1)).map(([id]) => id);
	}

	/** Does what a cluster does when a deleted index is written to: creates it again, without its settings. */
	recreate(): void {
		this.#mapping = {};
	}

	async close(): Promise<void> {}

	/** Creates an index in this cluster, without vectors unless `options` has some. */
	async create(t: ExecutionContext, options: Partial<OpenSearchCreateOptions> = {}): Promise<OpenSearchCollection> {
		const collection = await OpenSearchCollection.create('fake', {client: this, encoder: false, ...options});
		t.teardown(async () => collection.close());
		return collection;
	}

	async #answer(sent: Sent, body: Record<string, unknown>): Promise<unknown> {
		const {method, path} = sent;
		this.onRequest(sent);
		if (path === '/') {
			return {version: {number: this.version, distribution: 'opensearch'}};
		}
		if (method === 'HEAD') {
			return this.#mapping !== undefined;
		}
		if (method === 'PUT') {
			this.#mapping = body['mappings'];
			return {};
		}
		if (path.endsWith('/_mapping')) {
			return {[this.index]: {mappings: this.#mapping}};
		}
		if (path.endsWith('/_mget')) {
			const docs = body['docs'] as ReadonlyArray<{readonly _id: string}>;
			return {
				docs: docs.map(({_id}) => {
					const source = this.stored.get(_id);
					return {_id, found: source !== undefined, ...(source === undefined ? {} : {_source: source})};
				}),
			};
		}
		const other = this.#other(path, sent.lines);
		if (other !== undefined) {
			return other;
		}
		this.bulks.push(sent);
		return (await this.onBulk(this.bulks.length, sent)) ?? {items: this.#write(sent.lines)};
	}

	/** Answers requests that do not write passages. Searches find nothing. */
	#other(path: string, lines: Sent['lines']): unknown {
		const shards = {total: 1, successful: 1, failed: 0};
		const found = {status: 200, timed_out: false, _shards: shards, hits: {total: {value: 0}, hits: []}};
		const {index} = this;
		const call = path.split('/').find(part => part.startsWith('_'));
		switch (call) {
			case '_msearch': {
				return {responses: Array.from({length: lines.length / 2}, () => found)};
			}
			case '_search': {
				return {...found, pit_id: 'view'};
			}
			case '_refresh':
			case '_flush': {
				return {_shards: shards};
			}
			case '_forcemerge': {
				return {task: 'task'};
			}
			case '_tasks': {
				return {completed: true, response: {_shards: shards}};
			}
			case '_stats': {
				const primaries = {docs: {count: this.stored.size, deleted: 0}};
				return {_all: {primaries, total: {...primaries, store: {size_in_bytes: 0}}}};
			}
			case '_cluster': {
				return {status: 'green'};
			}
			case '_settings': {
				return {[index]: {settings: {index: {number_of_shards: '1', number_of_replicas: '0'}}}};
			}
			case '_aliases': {
				return {acknowledged: true};
			}
			case '_alias': {
				return {[index]: {aliases: {fake: {}}}};
			}
			default: {
				return undefined;
			}
		}
	}

	#write(lines: Sent['lines']): Item[] {
		const items: Item[] = [];
		for (let i = 0; i < lines.length; i++) {
			const [[action, target]] = Object.entries(lines[i]!) as [[string, {readonly _id: string}]];
			const id = target._id;
			const source = action === 'delete' ? undefined : (lines[++i] as Stored);
			const refused = this.onWrite({action, id});
			if (refused !== undefined) {
				items.push(refused);
			} else if (source === undefined) {
				items.push({delete: {status: this.stored.delete(id) ? 200 : 404}});
			} else if (action === 'create' && this.stored.has(id)) {
				items.push({create: {status: 409, error: {type: 'version_conflict_engine_exception', reason: 'exists'}}});
			} else {
				this.stored.set(id, source);
				items.push({[action]: {status: 201}});
			}
		}
		return items;
	}
}
