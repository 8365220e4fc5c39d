// Tests the option `filter` of `ConfidenceSearcher`, which passes the filter to the searcher of each model.
import {join} from 'node:path';
import test from 'ava';
import * as fc from 'fast-check';
import {
	ConfidenceSearcher,
	DenseSearcher,
	PhraseIndex,
	PhraseSearcher,
	RetrievalError,
	type Searcher,
	fuseByConfidence,
} from '../../ts/index.ts';
import {filteredCorpus, hasPart, randomCase} from '../support/filters.ts';
import {folder} from '../support/vectors.ts';

const queries = [
	{id: 'q1', text: 'lamp'},
	{id: 'q2', text: 'desk lamp'},
];

test('a filtered search computes the confidence of each model from its filtered hits', async t => {
	const path = await folder(t);
	await fc.assert(
		fc.asyncProperty(randomCase, async ([fields, filters]) => {
			const {ids, bm25, flat, encoder, selected} = await filteredCorpus(join(path, 'bm25'), fields);
			const dense = new DenseSearcher({encoder, index: flat, fields: bm25});
			const index = new PhraseIndex({dim: 2, normalize: false});
			const phrases = ids.flatMap(id => [0, 5].map(start => ({id, start, end: start + 4})));
			const data = Float32Array.from(phrases.flatMap((_, i) => [i % 3, i % 5]));
			await index.add(phrases, {data, rows: phrases.length, dim: 2});
			const models = [
				{name: 'dense', searcher: dense, temperature: 0.1},
				{name: 'phrases', searcher: new PhraseSearcher({encoder, index, fields: bm25}), temperature: 0.2},
				{name: 'bm25', searcher: bm25, temperature: 0.05},
			];
			const searcher = new ConfidenceSearcher({models});
			const onPassages = new ConfidenceSearcher({models, confidenceOf: 'passages'});
			// A BM25 index refuses filters with the part `documents`.
			for (const filter of filters.filter(each => !hasPart(each, 'documents')).slice(0, 4)) {
				const run = await searcher.searchMany(queries, {k: 5, filter});
				const runs = await Promise.all(
					models.map(async ({name, searcher: model, temperature}) => ({name, temperature, run: await model.searchMany(queries, {filter})})),
				);
				t.deepEqual([...(await onPassages.searchMany(queries, {k: 5, filter}))], [...(await fuseByConfidence(runs, {k: 5})).run]);
				for (const {id, text} of queries) {
					const {hits} = await searcher.decide(text, {k: 5, filter});
					t.true(hits.every(hit => selected(filter).has(hit.id)));
					t.deepEqual(await searcher.search(text, {k: 5, filter}), hits);
					t.deepEqual(
						run.get(id),
						hits.map(hit => ({id: hit.id, score: hit.score})),
					);
				}
			}
			[bm25, flat, index].forEach(each => each.close());
		}),
		{numRuns: 8},
	);
});

test('a filter is refused before any search if a model takes no filters', async t => {
	const {bm25} = await filteredCorpus(join(await folder(t), 'bm25'), [{n: 1}]);
	let searches = 0;
	const withoutFilters: Searcher = {
		async search() {
			searches += 1;
			return [];
		},
		async searchMany() {
			searches += 1;
			return new Map();
		},
	};
	const searcher = new ConfidenceSearcher({models: [{searcher: bm25}, {searcher: withoutFilters}], temperature: 1});
	const filter = {n: 1};
	const expected = {
		instanceOf: RetrievalError,
		code: 'ERR_ARGUMENT',
		message: 'filter: expected searchers that take filters, got an object without the method checkFilter as models[1]: searcher',
	};
	await t.throwsAsync(searcher.search('lamp', {filter}), expected);
	await t.throwsAsync(searcher.decide('lamp', {filter}), expected);
	await t.throwsAsync(searcher.searchMany(queries, {filter}), expected);
	t.throws(() => searcher.checkFilter(filter), expected);
	t.is(searches, 0);
});
