// Tests filters of hybrid searches, which `HybridSearcher` passes to its searchers.
import {join} from 'node:path';
import test from 'ava';
import * as fc from 'fast-check';
import {
	DenseSearcher,
	type Filter,
	type FilteredSearchManyOptions,
	type FusionMethod,
	HybridSearcher,
	RetrievalError,
	type Run,
	type Searcher,
	candidateLists,
	fuse,
	rankCandidates,
} from '../../ts/index.ts';
import {filteredCorpus, hasPart, randomCase} from '../support/filters.ts';
import {folder, idsOf} from '../support/vectors.ts';

const queries = [
	{id: 'q1', text: 'lamp'},
	{id: 'q2', text: 'desk lamp'},
];

const methods: readonly FusionMethod[] = [
	{method: 'rrf'},
	{method: 'dprHybrid', lambda: 1.1},
	{method: 'hybrid', alpha: 0.5},
	{method: 'hybridNorm', alpha: 1.3},
];

test('a filtered hybrid search returns the same hits as fusing the complete lists after removing passages that do not match', async t => {
	const path = await folder(t);
	await fc.assert(
		fc.asyncProperty(randomCase, fc.constantFrom(...methods), fc.integer({min: 1, max: 14}), async ([fields, filters], fusion, k) => {
			const {ids, bm25, flat, encoder, selected} = await filteredCorpus(join(path, 'bm25'), fields);
			const dense = new DenseSearcher({encoder, index: flat, fields: bm25});
			const hybrid = new HybridSearcher({dense, sparse: bm25, fusion});
			const nested = new HybridSearcher({dense: hybrid, sparse: bm25, fusion});
			// A BM25 index does not support filters by documents.
			for (const filter of filters.filter(each => !hasPart(each, 'documents'))) {
				const matching = selected(filter);
				const filtered = (run: Run): Run => new Map([...run].map(([id, hits]) => [id, hits.filter(hit => matching.has(hit.id))]));
				const lists = {
					dense: filtered(await dense.searchMany(queries, {k: ids.length})),
					sparse: filtered(await bm25.searchMany(queries, {k: ids.length})),
				};
				const expected = await fuse(lists, fusion, {k});
				const run = await hybrid.searchMany(queries, {k, filter});
				t.deepEqual([...run], [...expected], JSON.stringify(filter));
				for (const {id, text} of queries) {
					t.deepEqual(await hybrid.search(text, {k, filter}), run.get(id), JSON.stringify(filter));
				}
				const inner = await fuse(lists, fusion, {k: 1000});
				const outer = await fuse({dense: inner, sparse: lists.sparse}, fusion, {k});
				t.deepEqual([...(await nested.searchMany(queries, {k, filter}))], [...outer], JSON.stringify(filter));
			}
			bm25.close();
			flat.close();
		}),
		{numRuns: 12},
	);
});

test('a hybrid searcher refuses a filter before any search if one of its searchers does not support it', async t => {
	const {flat, encoder, bm25} = await filteredCorpus(join(await folder(t), 'bm25'), [{n: 1}, {n: 2}]);
	const received: unknown[] = [];
	/** A user-defined searcher without `checkFilter`. It logs the options that it receives and ignores them. */
	const own: Searcher = {
		search: async () => [{id: '0', score: 1}],
		async searchMany(many, options) {
			received.push(options);
			return new Map(many.map(({id}) => [id, [{id: '0', score: 1}]]));
		},
	};
	const checked: Filter[] = [];
	/** The same searcher with `checkFilter`, which logs the filters that it is asked about and accepts all. */
	const declared = {...own, checkFilter: (filter: Filter) => void checked.push(filter)};
	const dense = new DenseSearcher({encoder, index: flat});
	for (const [searchers, filter, message] of [
		[
			[bm25, own],
			{ids: ['1']},
			'filter: expected searchers that take filters, got an object without the method checkFilter as searchers[1]',
		],
		[
			[declared, new HybridSearcher({dense: own, sparse: bm25})],
			{ids: ['1']},
			'filter: expected searchers that take filters, got an object without the method checkFilter as dense',
		],
		[
			[declared, dense],
			{n: 1},
			'filter.n: expected ids or documents, since the DenseSearcher has no fields, got a condition on a field; create it with the option fields, a Bm25Index of the same passages',
		],
		[[declared, bm25], {documents: ['d']}, /^filter\.documents: expected ids or fields, since a BM25 index does not know/u],
		[[declared, bm25], {n: {less: 1}} as never, /^filter\.n: expected operators among/u],
	] as ReadonlyArray<readonly [Searcher[], Filter, string | RegExp]>) {
		const hybrid = new HybridSearcher({searchers});
		const expected = {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message} as const;
		await t.throwsAsync(hybrid.search('lamp', {filter}), expected);
		await t.throwsAsync(hybrid.searchMany(queries, {filter}), expected);
		t.throws(() => hybrid.checkFilter(filter), expected);
	}
	t.deepEqual(received, [], 'nothing was searched');
	await t.throwsAsync(new HybridSearcher({searchers: [bm25]}).search('lamp', {filter: {m: 1}}), {message: /^filter\.m: expected a field/u});

	const filter = {ids: ['0']};
	checked.length = 0;
	t.deepEqual(idsOf(await new HybridSearcher({searchers: [declared, bm25]}).search('lamp', {filter})), ['0']);
	t.deepEqual([checked, (received[0] as FilteredSearchManyOptions).filter], [[filter], filter]);
	await new HybridSearcher({searchers: [own, bm25]}).search('lamp');
	t.false(Object.hasOwn(received[1] as object, 'filter'), 'without a filter, searchers get no option `filter`');
});

test('rankCandidates works with a hybrid searcher, which supports filters by ids', async t => {
	const {flat, encoder, bm25, ids} = await filteredCorpus(join(await folder(t), 'bm25'), [{}, {}, {}, {}, {}, {}]);
	const hybrid = new HybridSearcher({dense: new DenseSearcher({encoder, index: flat}), sparse: bm25});
	const gold = new Map(queries.map(({id}) => [id, new Map([['2', 1]])]));
	const candidates = await candidateLists(queries, gold, bm25, ids, {negatives: 2, random: 1});
	const run = await rankCandidates(hybrid, queries, candidates);
	for (const {id} of queries) {
		t.deepEqual(idsOf(run.get(id)!).toSorted(), candidates.lists.get(id)!.ids.toSorted());
	}
});
