// Tests that invalid options, signals and constructor arguments are refused.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {kindOf, shown} from '../../ts/core/checks.ts';
import {
	Bm25Index,
	type Bm25SearchOptions,
	Bm25Writer,
	Collection,
	ConfidenceSearcher,
	DenseSearcher,
	FlatIndex,
	HnswIndex,
	HybridSearcher,
	PassageStore,
	PhraseIndex,
	PhraseSegmenter,
	RetrievalError,
	type SearchManyOptions,
	type SearchOptions,
	type Searcher,
	fuse,
	splitDocument,
	tuneHybrid,
} from '../../ts/index.ts';
import {replicate} from '../../ts/studies/index.ts';

const passages = [
	{id: 'a', text: 'fox'},
	{id: 'b', text: 'hen'},
];

/** Makes a folder that is removed after the test. */
async function folderOf(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-options-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return folder;
}

/** Builds a BM25 index of the passages above. */
async function indexed(t: ExecutionContext): Promise<Bm25Index> {
	return Bm25Index.build(join(await folderOf(t), 'bm25'), passages);
}

/** Asserts that a call is refused as invalid, and returns the error message. Casts in the calls bypass the type checker. */
async function refused(t: ExecutionContext, call: () => unknown): Promise<string> {
	const error = await t.throwsAsync(async () => call(), {instanceOf: RetrievalError});
	t.is(error.code, 'ERR_ARGUMENT', error.message);
	return error.message;
}

test('the error for an unknown option lists the options and suggests the one that was probably meant', async t => {
	const index = await indexed(t);
	const search = async (options: object): Promise<string> => refused(t, () => index.search('fox', options as Bm25SearchOptions));
	t.is(await search({topK: 5}), 'search: expected options among signal, onProgress, k1, b, k, filter, got "topK"; did you mean k?');
	for (const name of ['top_k', 'limit', 'K', 'n', 'topk']) {
		t.regex(await search({k: 5, [name]: 5}), /; did you mean k\?$/u, name);
	}
	t.regex(await search({fliter: {ids: []}}), /; did you mean filter\?$/u);
	t.regex(await search({boost: 2}), /got "boost"$/u);
	t.deepEqual(
		await index.search('fox', {k: 5, boost: undefined} as Bm25SearchOptions),
		await index.search('fox'),
		'an option that is undefined counts as absent',
	);

	const hnsw = new HnswIndex({dim: 2});
	t.regex(await refused(t, () => hnsw.search(new Float32Array(2), {efsearch: 9} as never)), /did you mean efSearch\?$/u);
	t.regex(await refused(t, () => new FlatIndex({dim: 2, metric: 'l2'} as never)), /did you mean similarity\?$/u);
	t.regex(await refused(t, () => new PhraseIndex({dim: 2, vectorIndex: 'flat', m: 8} as never)), /got "m"/u);
	const hybrid = new HybridSearcher({searchers: [index]});
	t.regex(await refused(t, () => hybrid.search('fox', {where: {ids: ['a']}} as never)), /got "where"; did you mean filter\?$/u);
});

test('nested options are checked too', async t => {
	const index = await indexed(t);
	const path = join(await folderOf(t), 'new');
	const run = await index.searchMany([{id: 'q', text: 'fox'}]);
	const collection = (options: object): Promise<string> => refused(t, () => Collection.build(passages, path, options as never));
	t.regex(await refused(t, () => PassageStore.ingest('x', path, {split: {word: 5}} as never)), /^split: .*; did you mean words\?$/u);
	t.regex(await refused(t, () => splitDocument(passages[0]!, {wrapp: true} as never)), /did you mean wrap\?$/u);
	t.regex(await collection({flat: {stoarge: 'f16'}}), /^flat: .*; did you mean storage\?$/u);
	t.regex(await collection({hnsw: {M: 8}}), /^hnsw: .*; did you mean m\?$/u);
	t.regex(await collection({encoderOptions: {normalise: true}}), /^encoderOptions: .*; did you mean normalize\?$/u);
	t.regex(
		await refused(t, () => Bm25Index.build(path, passages, {analyzer: {type: 'english', stopwords: []}} as never)),
		/did you mean stopWords\?$/u,
	);
	t.regex(await refused(t, () => fuse([run], {method: 'rrf', rankconstant: 1} as never)), /^fusion: .*; did you mean rankConstant\?$/u);
	t.regex(
		await refused(t, () => tuneHybrid({dense: run, sparse: run}, {questions: [], passages: new Map(), topK: 5} as never)),
		/^objective: .*did you mean k\?$/u,
	);
	t.regex(await refused(t, () => PhraseSegmenter.open({sentences: 1, overlap: 1} as never)), /^length: .*got "overlap"$/u);
});

test('options that are not a plain object are refused', async t => {
	const index = await indexed(t);
	for (const options of [null, 'k=5', 5, [5], () => {}]) {
		t.regex(await refused(t, () => index.search('fox', options as never)), /^search: expected options \{.*\}, got /u);
	}
	t.regex(
		await refused(t, () => (index.searchTerms as (terms: unknown) => unknown).call(index, 5)),
		/^searchTerms: terms: expected an array/u,
	);
	t.regex(await refused(t, () => index.searchMany(null as never)), /^queries: expected an array of \{id, text\}, got null$/u);
	t.regex(await refused(t, () => replicate('none', 'none', null as never)), /^replicate: /u);
});

test('the error for a constructor without arguments says what to pass or, if the constructor is private, what to call', async t => {
	for (const publicClass of [HybridSearcher, DenseSearcher, FlatIndex, HnswIndex, PhraseIndex, ConfidenceSearcher] as unknown as Array<
		new () => object
	>) {
		t.regex(await refused(t, () => new publicClass()), /expected options \{/u, publicClass.name);
	}
	for (const privateClass of [Bm25Index, Bm25Writer, PassageStore, Collection] as unknown as Array<new (handle?: unknown) => object>) {
		const message = await refused(t, () => new privateClass());
		t.regex(message, new RegExp(`^new ${privateClass.name}: expected ${privateClass.name}\\.`, 'u'));
		t.is((await refused(t, () => new privateClass({}))).split(', got ')[0], message.split(', got ')[0]);
	}
});

test('error messages can describe any value, even one that throws when it is inspected', t => {
	const hostile = {
		get constructor(): never {
			throw new Error('no');
		},
	};
	const {proxy, revoke} = Proxy.revocable({}, {});
	revoke();
	t.is(kindOf(hostile), 'an object');
	t.is(kindOf(proxy), 'an object');
	t.is(kindOf(Object.create(null)), 'an object');
	t.is(kindOf({constructor: 5}), 'an object');
	t.is(kindOf({constructor: {name: Symbol('x')}}), 'an object');
	t.deepEqual([Symbol('x'), 10n, 'x', Number.NaN, undefined, null].map(shown), ['symbol', '10n', '"x"', 'NaN', 'undefined', 'null']);
});

test('an invalid signal or callback is refused immediately', async t => {
	const index = await indexed(t);
	for (const signal of [5, 'abort', {}, {aborted: false}, {aborted: false, addEventListener() {}}, new AbortController(), null]) {
		t.regex(await refused(t, () => index.search('fox', {signal: signal as never})), /^signal: expected an AbortSignal, got /u);
	}
	for (const onProgress of [5, 'log', {}, null]) {
		t.regex(await refused(t, () => index.searchMany([], {onProgress: onProgress as never})), /^onProgress: expected a function, got /u);
	}
});

test('a signal from another realm or from a polyfill works like a signal of Node itself', async t => {
	const index = await indexed(t);
	const reason = new Error('enough');
	const controller = new AbortController();
	const {signal} = controller;
	const foreign = {
		get aborted() {
			return signal.aborted;
		},
		get reason(): unknown {
			return signal.reason;
		},
		addEventListener: signal.addEventListener.bind(signal),
		removeEventListener: signal.removeEventListener.bind(signal),
		throwIfAborted: signal.throwIfAborted.bind(signal),
	} as unknown as AbortSignal;
	t.is((await index.search('fox', {signal: foreign})).length, 1);
	controller.abort(reason);
	t.is(await t.throwsAsync(index.searchMany([{id: 'q', text: 'fox'}], {signal: foreign})), reason);
});

test('a custom searcher receives only the options of the interface `Searcher`', async t => {
	const seen = new Set<string>();
	const record = (options: object = {}): void => Object.keys(options).forEach(name => seen.add(name));
	const custom: Searcher = {
		async search(_query: string, options?: SearchOptions) {
			record(options);
			return [{id: 'a', score: 1}];
		},
		async searchMany(queries, options?: SearchManyOptions) {
			record(options);
			return new Map(queries.map(({id}) => [id, [{id: 'a', score: 1}]]));
		},
	};
	// Reciprocal rank fusion adds 1 / (60 + 1) for the first rank in each of the two lists.
	t.deepEqual(await new HybridSearcher({searchers: [custom, custom]}).search('fox'), [{id: 'a', score: Math.fround(2 / 61)}]);
	const confident = new ConfidenceSearcher({models: [{searcher: custom, temperature: 1}]});
	t.deepEqual(await confident.search('fox', {k: 1}), [{id: 'a', score: 1}]);
	await confident.searchMany([{id: 'q', text: 'fox'}], {threads: 1, onProgress() {}});
	t.deepEqual([...seen].toSorted(), ['k', 'onProgress', 'signal', 'threads']);
});
