// Tests `Bm25Index.matching` and `checkFilter`, with which other searchers filter by fields.
import {join} from 'node:path';
import test from 'ava';
import * as fc from 'fast-check';
import {type Filter, RetrievalError} from '../../ts/index.ts';
import {filteredCorpus, hasPart, randomCase} from '../support/filters.ts';
import {folder} from '../support/vectors.ts';

test('matching returns the ids that a filtered search of the index finds', async t => {
	const path = await folder(t);
	await fc.assert(
		fc.asyncProperty(randomCase, async ([fields, filters]) => {
			const {ids, bm25, selected} = await filteredCorpus(join(path, 'bm25'), fields);
			for (const filter of filters) {
				const matching = await bm25.matching(ids, filter);
				t.deepEqual(
					matching,
					ids.filter(id => selected(filter).has(id)),
					JSON.stringify(filter),
				);
				if (!hasPart(filter, 'documents')) {
					const found = new Set((await bm25.search('lamp', {k: ids.length, filter})).map(({id}) => id));
					t.deepEqual(
						matching,
						ids.filter(id => found.has(id)),
						JSON.stringify(filter),
					);
				}
			}
			bm25.close();
		}),
		{numRuns: 12},
	);
});

test('matching keeps the order of the ids, and treats an unknown id as a passage without fields', async t => {
	const {bm25} = await filteredCorpus(join(await folder(t), 'bm25'), [{n: 1}, {n: 2}]);
	t.deepEqual(await bm25.matching(['nobody', '1', '0', 'all'], {n: 1}), ['0', 'all']);
	t.deepEqual(await bm25.matching(['nobody', '1', '0', 'all'], {n: {not: 1}}), ['nobody', '1']);
	t.deepEqual(await bm25.matching(['nobody'], {}), ['nobody']);
	t.deepEqual(await bm25.matching([], {n: 1}), []);
	const abort = AbortSignal.abort(new Error('enough'));
	await t.throwsAsync(bm25.matching(['0'], {n: 1}, {signal: abort}), {message: 'enough'});
	await t.throwsAsync(bm25.matching(['0'], {m: 1}), {code: 'ERR_ARGUMENT', message: /^filter\.m: expected a field .* got "m"/u});
	await t.throwsAsync(bm25.matching(['0'], {documents: ['d'], n: {lt: 'a'}}), {
		code: 'ERR_ARGUMENT',
		message: 'filter.n.lt: expected a number like all values of "n", got the string "a"',
	});
	bm25.close();
	await t.throwsAsync(bm25.matching(['0'], {n: 1}), {code: 'ERR_CLOSED'});
});

test('the generation of an index changes when it is reloaded', async t => {
	const {bm25} = await filteredCorpus(join(await folder(t), 'bm25'), []);
	const before = bm25.generation;
	t.is(bm25.generation, before);
	await bm25.reload();
	t.not(bm25.generation, before);
});

test('a BM25 index refuses a filter by documents before it searches, and says where in the filter they are', async t => {
	const {bm25} = await filteredCorpus(join(await folder(t), 'bm25'), [{n: 1}]);
	for (const [filter, path] of [
		[{documents: ['d']}, 'filter.documents'],
		[{n: 1, or: [{ids: ['0']}, {not: {documents: ['d'], n: 1}}]}, 'filter.or[1].not.documents'],
	] as const satisfies ReadonlyArray<readonly [Filter, string]>) {
		const expected = {
			instanceOf: RetrievalError,
			code: 'ERR_ARGUMENT',
			message: `${path}: expected ids or fields, since a BM25 index does not know the documents of its passages, got documents; list the ids of the passages in {ids: […]}, or use a collection that Collection.open created`,
		};
		await t.throwsAsync(bm25.search('lamp', {filter}), expected);
		await t.throwsAsync(bm25.searchMany([{id: 'q', text: 'lamp'}], {filter}), expected);
		await t.throwsAsync(bm25.searchTerms([{term: 'lamp', weight: 1}], {filter}), expected);
		t.throws(() => bm25.checkFilter(filter), expected);
	}
	t.notThrows(() => bm25.checkFilter({n: 1}));
	t.throws(() => bm25.checkFilter({n: {less: 1}} as never), {message: /^filter\.n: expected operators among/u});
	t.throws(() => bm25.checkFilter(undefined as never), {message: 'filter: expected a filter such as {price: {lt: 50}}, got undefined'});
});
