// Tests model uncertainty fusion: `fuseByConfidence` fuses runs, and `ConfidenceSearcher` asks searchers.
import test from 'ava';
import {
	Collection,
	ConfidenceSearcher,
	type Hit,
	type Run,
	type Searcher,
	RetrievalError,
	confidence,
	encyclopedia,
	fitTemperature,
	fuse,
	fuseByConfidence,
	judgedScores,
	readQrels,
	selectModels,
} from '../../ts/index.ts';
import {folder} from '../support/vectors.ts';

const hits = (...pairs: ReadonlyArray<readonly [string, number]>): Hit[] => pairs.map(([id, score]) => ({id, score}));

/**
The runs of two models. For the query `both`, the two best scores differ by 2 in `sure` and by 1 in `unsure`, so at equal temperatures the
model of `sure` is more confident. `first` is a query of the first run only, `second` one of the second run only, and `empty` has no hits.
*/
const sure: Run = new Map([
	['both', hits(['a', 3], ['b', 1])],
	['first', hits(['c', 2])],
	['empty', []],
]);
const unsure: Run = new Map([
	['both', hits(['x', 9], ['y', 8], ['w', 7])],
	['second', hits(['z', 5], ['y', 5])],
	['empty', []],
]);

test('each query gets the hits of the most confident model', async t => {
	const {
		run,
		chosen,
		confidence: confidences,
	} = await fuseByConfidence(
		[
			{name: 'unsure', run: unsure, temperature: 1},
			{name: 'sure', run: sure, temperature: 1},
		],
		{k: 2},
	);
	t.deepEqual(
		[...run],
		[
			['both', hits(['a', 3], ['b', 1])],
			['second', hits(['z', 5], ['y', 5])],
			['empty', []],
			['first', hits(['c', 2])],
		],
	);
	t.deepEqual(
		[...chosen],
		[
			['both', 'sure'],
			['second', 'unsure'],
			['empty', 'unsure'],
			['first', 'sure'],
		],
	);
	// The confidence is 1 / (1 + e⁻²) for `both`, 1/2 for the two equal scores of `second`, 0 for `empty`, and 1 for the only hit of `first`.
	t.true(Math.abs(confidences.get('both')! - 1 / (1 + Math.exp(-2))) < 1e-12);
	t.deepEqual([confidences.get('second'), confidences.get('empty'), confidences.get('first')], [1 / 2, 0, 1]);
});

test('temperature, depth and the order of the models decide which model is chosen', async t => {
	const chosen = async (temperatures: readonly [number, number], depth?: number): Promise<string | undefined> =>
		(
			await fuseByConfidence(
				[
					{name: 'unsure', run: unsure, temperature: temperatures[0]},
					{name: 'sure', run: sure, temperature: temperatures[1]},
				],
				{depth},
			)
		).chosen.get('both');
	t.is(await chosen([1, 1]), 'sure');
	// A difference of 1 between scores at temperature 1/4 gives a higher confidence than a difference of 2 at temperature 1.
	t.is(await chosen([0.25, 1]), 'unsure');
	// From a single score, the confidence of every model is 1, and the first model is chosen.
	t.is(await chosen([1, 1], 1), 'unsure');
	// Both confidences C round to 1. Models are compared by ln((1 − C) / C), which is lower for `sure`.
	t.is(confidence(Float32Array.of(9, 8, 7), 1e-3), 1);
	t.is(await chosen([1e-3, 1e-3]), 'sure');
	t.is(await chosen([1e-300, 1e-300]), 'sure');
});

test('one temperature for all models gives the same result as the same temperature for each', async t => {
	const separate = await fuseByConfidence([
		{name: 'unsure', run: unsure, temperature: 0.7},
		{name: 'sure', run: sure, temperature: 0.7},
	]);
	const models = [
		{name: 'unsure', run: unsure},
		{name: 'sure', run: sure},
	];
	const common = await fuseByConfidence(models, {temperature: 0.7});
	t.deepEqual([...common.run], [...separate.run]);
	t.deepEqual([...common.confidence], [...separate.confidence]);
	const message = async (work: Promise<unknown>): Promise<string> => (await t.throwsAsync(work, {instanceOf: RetrievalError})).message;
	t.is(await message(fuseByConfidence(models)), 'temperature: expected one for all models, or one for each of them, got none for "unsure"');
	t.is(
		await message(fuseByConfidence([models[0]!, {...models[1]!, temperature: 2}], {temperature: 1})),
		'models[1]: temperature: expected none, since all models have 1, got 2',
	);
	t.is(await message(fuseByConfidence(models, {temperature: 0})), 'temperature: expected a finite number above 0, got 0');
});

test('confidence is computed from phrase scores if they are given', async t => {
	// The passage scores of "unsure" differ less than those of "sure", but its phrase scores differ more.
	const phrases: Run = new Map([['both', hits(['x:0-3', 9], ['x:4-7', 2], ['y:0-2', 1])]]);
	const models = [
		{name: 'sure', run: sure},
		{name: 'unsure', run: unsure, phrases},
	];
	const {chosen, confidence: confidences, run} = await fuseByConfidence(models, {temperature: 1});
	t.is(chosen.get('both'), 'unsure');
	t.true(Math.abs(confidences.get('both')! - 1 / (1 + Math.exp(-7) + Math.exp(-8))) < 1e-12);
	t.deepEqual(run.get('both'), unsure.get('both'));
	// `second` has hits but no phrase scores, so the confidence is 0.
	t.is(confidences.get('second'), 0);
	t.is(
		(
			await fuseByConfidence(
				models.map(({name, run}) => ({name, run})),
				{temperature: 1},
			)
		).chosen.get('both'),
		'sure',
	);
});

test('a searcher that supports phrases is asked for phrases, unless confidence is computed from passages', async t => {
	const phraseHits = hits(['x', 9], ['x', 2], ['y', 1]);
	const sentences = {
		search: async () => [...unsure.get('both')!],
		searchMany: async () => unsure,
		searchWithPhrases: async (_: string, {k, maxPhrases}: {k?: number | undefined; maxPhrases: number}) => ({
			hits: unsure.get('both')!.slice(0, k),
			phrases: phraseHits.slice(0, maxPhrases),
		}),
		searchManyWithPhrases: async () => ({run: unsure, phrases: new Map([['both', hits(['x:0-1', 9], ['x:2-3', 2], ['y:0-1', 1])]])}),
	};
	const passages = {search: async () => [...sure.get('both')!], searchMany: async () => sure};
	const models = [
		{name: 'passages', searcher: passages},
		{name: 'sentences', searcher: sentences},
	];
	const queries = [{id: 'both', text: 'which?'}];
	const byPhrases = new ConfidenceSearcher({models, temperature: 1});
	const {model, confidences, hits: found} = await byPhrases.decide('which?', {k: 2});
	t.is(model, 'sentences');
	t.true(Math.abs(confidences.get('sentences')! - 1 / (1 + Math.exp(-7) + Math.exp(-8))) < 1e-12);
	t.deepEqual(found, unsure.get('both')!.slice(0, 2));
	t.deepEqual((await byPhrases.searchMany(queries)).get('both'), unsure.get('both'));
	const byPassages = new ConfidenceSearcher({models, temperature: 1, confidenceOf: 'passages'});
	t.is((await byPassages.decide('which?')).model, 'passages');
	t.deepEqual((await byPassages.searchMany(queries)).get('both'), sure.get('both'));
	t.is(
		t.throws(() => new ConfidenceSearcher({models, temperature: 1, confidenceOf: 'words' as 'phrases'}), {instanceOf: RetrievalError})
			.message,
		'confidenceOf: expected one of phrases, passages, got "words"',
	);
});

test('the result of a fusion can be fused again', async t => {
	const models = [
		{name: 'unsure', run: unsure, temperature: 1},
		{name: 'sure', run: sure, temperature: 1},
	];
	const {run} = await fuseByConfidence(models);
	const again = await fuseByConfidence([{name: 'one', run, temperature: 1}]);
	t.deepEqual([...again.run], [...run]);
	// With a rank constant of 0, a hit adds 1 / rank to the score of its passage.
	const ranks = await fuse([run, unsure], {method: 'rrf', rankConstant: 0});
	t.deepEqual(ranks.get('both'), hits(['a', 1], ['x', 1], ['b', 0.5], ['y', 0.5], ['w', Math.fround(1 / 3)]));
});

/** Searchers of the example encyclopedia, and 60 of its development questions. */
interface RealSearchers {
	readonly dense: Searcher;
	readonly sparse: Searcher;
	readonly questions: ReadonlyArray<{readonly id: string; readonly text: string}>;
}

let realSearchers: Promise<RealSearchers> | undefined;

/** Returns the searchers and questions; the first call builds the collection. */
async function searchersOfEncyclopedia(): Promise<RealSearchers> {
	realSearchers ??= (async () => {
		const path = await folder({teardown: cleanups.push.bind(cleanups)} as unknown as Parameters<typeof folder>[0]);
		const collection = await Collection.build(encyclopedia().articles, `${path}/index`);
		cleanups.unshift(async () => collection.close());
		return {
			dense: await collection.searcher('dense'),
			sparse: await collection.searcher('bm25'),
			questions: (await encyclopedia().questions('dev')).slice(0, 60),
		};
	})();
	return realSearchers;
}

/** What to do after all tests, in this order. */
const cleanups: Array<() => Promise<unknown>> = [];
test.after.always(async () => {
	for (const cleanUp of cleanups) {
		await cleanUp();
	}
});

/**
Computes exp(max / T) / Σ exp(s / T) over the best `depth` scores s, where T is the temperature. In these tests, s / T is so small that
exp(s / T) does not overflow.
*/
function directConfidence(list: readonly Hit[], temperature: number, depth: number): number {
	const scores = list.slice(0, depth).map(({score}) => score);
	const sum = scores.reduce((sum, score) => sum + Math.exp(score / temperature), 0);
	return scores.length === 0 ? 0 : Math.exp(Math.max(...scores) / temperature) / sum;
}

test('real searchers: search and searchMany return the hits of the most confident model', async t => {
	const {dense, sparse, questions} = await searchersOfEncyclopedia();
	const searcher = new ConfidenceSearcher({
		models: [
			{name: 'dense', searcher: dense, temperature: 0.05},
			{name: 'bm25', searcher: sparse, temperature: 3},
		],
		depth: 12,
	});
	const run = await searcher.searchMany(questions, {k: 5});
	t.deepEqual(
		[...run.keys()],
		questions.map(({id}) => id),
	);
	const counts = new Map([
		['dense', 0],
		['bm25', 0],
	]);
	for (const {id, text} of questions) {
		const lists = {dense: await dense.search(text, {k: 12}), bm25: await sparse.search(text, {k: 12})};
		const [denseConfidence, sparseConfidence] = [directConfidence(lists.dense, 0.05, 12), directConfidence(lists.bm25, 3, 12)];
		const model = denseConfidence >= sparseConfidence ? 'dense' : 'bm25';
		const decision = await searcher.decide(text, {k: 5});
		t.is(decision.model, model, text);
		t.true(
			Math.abs(decision.confidences.get('dense')! - denseConfidence) < 1e-9 &&
				Math.abs(decision.confidences.get('bm25')! - sparseConfidence) < 1e-9,
		);
		t.is(decision.confidence, decision.confidences.get(model)!);
		t.deepEqual(decision.hits, lists[model].slice(0, 5));
		t.deepEqual(await searcher.search(text, {k: 5}), decision.hits);
		t.deepEqual(run.get(id), decision.hits);
		counts.set(model, counts.get(model)! + 1);
	}
	t.true(Math.min(...counts.values()) > 5, 'each model is chosen for several queries');
});

test('real searchers: after temperatures are fitted, fusing runs equals searching with a ConfidenceSearcher', async t => {
	const {dense, sparse, questions} = await searchersOfEncyclopedia();
	const qrels = await readQrels(encyclopedia().qrels);
	const judged = new Map(questions.map(({id}) => [id, qrels.get(id)!]));
	const models = await Promise.all(
		Object.entries({dense, bm25: sparse}).map(async ([name, searcher]) => {
			const run = await searcher.searchMany(questions, {k: 30});
			const {scores, correct} = await judgedScores(run, judged);
			t.is(correct.filter(Boolean).length, questions.filter(({id}) => judged.get(id)!.has(run.get(id)?.[0]?.id ?? '')).length);
			const {temperature, error} = await fitTemperature(scores, correct);
			t.true(error < 0.05, `${name}: ${error}`);
			return {name, searcher, run, temperature};
		}),
	);
	const selected = await selectModels(models, judged);
	t.true(selected[0]!.accuracy >= selected[1]!.accuracy);
	const {run, chosen} = await fuseByConfidence(selected, {k: 30});
	const searched = await new ConfidenceSearcher({models: selected}).searchMany(questions, {k: 30});
	t.deepEqual([...run], [...searched]);
	for (const [query, name] of chosen) {
		t.deepEqual(run.get(query), models.find(model => model.name === name)!.run.get(query));
	}
});

test('the mean of scores can be computed with linear fusion, as a baseline', async t => {
	const first: Run = new Map([['q', hits(['a', 0.9], ['b', 0.5])]]);
	const second: Run = new Map([['q', hits(['b', 0.8], ['c', 0.4])]]);
	const mean = await fuse([first, second], {method: 'linear', weights: [1 / 2, 1 / 2], missing: 'minimum'});
	// A passage that is not in a list gets the lowest score of the list. a: (0.9 + 0.4) / 2; b: (0.5 + 0.8) / 2; c: (0.5 + 0.4) / 2. Ties
	// keep the order of first appearance.
	t.deepEqual(
		mean.get('q')!.map(({id, score}) => [id, Number(score.toFixed(6))]),
		[
			['a', 0.65],
			['b', 0.65],
			['c', 0.45],
		],
	);
});

test('a model without hits is chosen only if no model has hits', async t => {
	const {dense, sparse} = await searchersOfEncyclopedia();
	// BM25 finds nothing for a word that is in no passage. Models without a name are named '0', '1', ….
	const onlyBm25 = new ConfidenceSearcher({models: [{searcher: sparse, temperature: 1}]});
	const {model, confidence, hits: found} = await onlyBm25.decide('zzzzqqq');
	t.deepEqual({model, confidence, found}, {model: '0', confidence: 0, found: []});
	const both = new ConfidenceSearcher({
		models: [
			{searcher: sparse, temperature: 1},
			{searcher: dense, temperature: 1},
		],
	});
	t.is((await both.decide('zzzzqqq')).model, '1');
	t.deepEqual(await both.search('zzzzqqq', {k: 0}), []);
});

test('a signal cancels a search, and progress counts queries', async t => {
	const {dense, sparse, questions} = await searchersOfEncyclopedia();
	const searcher = new ConfidenceSearcher({
		models: [
			{searcher: dense, temperature: 0.05},
			{searcher: sparse, temperature: 3},
		],
	});
	const reason = new Error('enough');
	t.is(await t.throwsAsync(searcher.searchMany(questions, {signal: AbortSignal.abort(reason)})), reason);
	t.is(await t.throwsAsync(searcher.search('bridge', {signal: AbortSignal.abort(reason)})), reason);
	const seen: number[] = [];
	await searcher.searchMany(questions, {onProgress: ({done, total}) => seen.push(done / total)});
	t.is(seen.at(-1), 1);
});

test('errors for invalid arguments say what was expected and what was given', async t => {
	const {sparse} = await searchersOfEncyclopedia();
	const message = (work: () => unknown): string => t.throws(work, {instanceOf: RetrievalError}).message;
	t.is(
		message(() => new ConfidenceSearcher({models: []})),
		'models: expected at least one model, got none',
	);
	t.is(
		message(() => new ConfidenceSearcher({models: [{searcher: sparse, temperature: 0}]})),
		'models[0]: temperature: expected a finite number above 0, got 0',
	);
	t.is(
		message(() => new ConfidenceSearcher({models: [{searcher: {} as Searcher, temperature: 1}]})),
		'models[0]: searcher: expected a searcher, got an object',
	);
	const named = {name: 'a', searcher: sparse, temperature: 1};
	t.is(
		message(() => new ConfidenceSearcher({models: [named, named]})),
		'models: expected distinct names, got "a" twice',
	);
	const infinite: Run = new Map([['q', hits(['a', Infinity])]]);
	const error = await t.throwsAsync(fuseByConfidence([{name: 'a', run: infinite, temperature: 1}]), {instanceOf: RetrievalError});
	t.is(error.message, 'run: hits[0] of query "q": score: expected a finite 32-bit number, got Infinity');
});
