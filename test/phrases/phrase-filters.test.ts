// Tests the filters of `PhraseSearcher`, which select passages by their ids, documents and fields.
import {join} from 'node:path';
import test from 'ava';
import * as fc from 'fast-check';
import {PhraseIndex, type PhrasePlace, PhraseSearcher, RetrievalError} from '../../ts/index.ts';
import {filteredCorpus, randomCase} from '../support/filters.ts';
import {folder, idsOf} from '../support/vectors.ts';

const queries = [
	{id: 'q1', text: 'lamp'},
	{id: 'q2', text: 'something else'},
];

/** Creates two indexes of the same phrases, two per passage. The vectors of `unnormalizedIndex` are twice as long as those of `index`. */
async function phraseIndexes(ids: readonly string[]): Promise<{index: PhraseIndex; unnormalizedIndex: PhraseIndex; phraseCount: number}> {
	const phrases: PhrasePlace[] = ids.flatMap(id => [0, 5].map(start => ({id, start, end: start + 4})));
	const data = Float32Array.from(phrases.flatMap((_, i) => [i % 3, i % 7]));
	const [index, unnormalizedIndex] = [new PhraseIndex({dim: 2, normalize: false}), new PhraseIndex({dim: 2, normalize: false})];
	await index.add(phrases, {data, rows: phrases.length, dim: 2});
	await unnormalizedIndex.add(phrases, {data: data.map(x => 2 * x), rows: phrases.length, dim: 2});
	return {index, unnormalizedIndex, phraseCount: phrases.length};
}

test('a filtered phrase search returns the passages and phrases of an unfiltered search, except those that do not match', async t => {
	const path = await folder(t);
	await fc.assert(
		fc.asyncProperty(randomCase, fc.integer({min: 1, max: 14}), async ([fields, filters], k) => {
			const {ids, bm25, flat, encoder, selected} = await filteredCorpus(join(path, 'bm25'), fields);
			const {phraseCount, ...indexes} = await phraseIndexes(ids);
			const searcher = new PhraseSearcher({encoder, fields: bm25, ...indexes});
			for (const filter of filters) {
				const matching = selected(filter);
				const run = await searcher.searchMany(queries, {k, filter});
				const both = await searcher.searchManyWithPhrases(queries, {k, maxPhrases: k, filter});
				for (const {id, text} of queries) {
					const all = await searcher.searchWithPhrases(text, {k: ids.length, maxPhrases: phraseCount});
					const hits = all.hits.filter(hit => matching.has(hit.id)).slice(0, k);
					const phrases = all.phrases.filter(phrase => matching.has(phrase.id)).slice(0, k);
					t.deepEqual(await searcher.search(text, {k, filter}), hits, JSON.stringify(filter));
					t.deepEqual(await searcher.searchWithPhrases(text, {k, maxPhrases: k, filter}), {hits, phrases}, JSON.stringify(filter));
					const withoutPlaces = hits.map(hit => ({id: hit.id, score: hit.score}));
					t.deepEqual(run.get(id), withoutPlaces);
					t.deepEqual(both.run.get(id), withoutPlaces);
					t.deepEqual(
						both.phrases.get(id),
						phrases.map(({id: passage, start, end, score}) => ({id: `${passage}:${start}-${end}`, score})),
					);
				}
			}
			[bm25, flat, indexes.index, indexes.unnormalizedIndex].forEach(each => each.close());
		}),
		{numRuns: 10},
	);
});

test('without the option `fields`, a phrase searcher filters by ids and documents, and refuses conditions on fields', async t => {
	const {ids, encoder} = await filteredCorpus(join(await folder(t), 'bm25'), [{n: 1}, {n: 2}, {n: 3}, {n: 4}]);
	const {index, unnormalizedIndex} = await phraseIndexes(ids);
	const searcher = new PhraseSearcher({encoder, index});
	t.deepEqual(idsOf(await searcher.search('lamp', {filter: {documents: ['d', '0']}})).toSorted(), ['0', 'd#3']);
	t.deepEqual(idsOf(await searcher.search('lamp', {filter: {ids: ['0', '1'], not: {ids: ['0']}}})), ['1']);
	t.deepEqual(idsOf(await searcher.search('lamp', {filter: {where: id => id === '2'}})), ['2']);
	t.deepEqual(idsOf(await searcher.search('lamp', {filter: await index.filter({ids: ['2']})})), ['2']);
	const expected = {
		instanceOf: RetrievalError,
		code: 'ERR_ARGUMENT',
		message:
			'filter.n.not: expected ids or documents, since the PhraseSearcher has no fields, got a condition on a field; create it with the option fields, a Bm25Index of the same passages',
	};
	const filter = {n: {not: 1}};
	t.throws(() => searcher.checkFilter(filter), expected);
	await t.throwsAsync(searcher.search('lamp', {filter}), expected);
	await t.throwsAsync(searcher.searchMany(queries, {filter}), expected);
	await t.throwsAsync(searcher.searchWithPhrases('lamp', {filter}), expected);
	await t.throwsAsync(searcher.searchManyWithPhrases(queries, {filter}), expected);
	t.throws(() => new PhraseSearcher({encoder, index, unnormalizedIndex, fields: {} as never}), {
		code: 'ERR_ARGUMENT',
		message: 'PhraseSearcher: fields: expected a Bm25Index, or another object with the method matching, got an object',
	});
});
