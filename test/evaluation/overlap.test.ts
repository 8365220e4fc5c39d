// Tests the overlap (Jaccard index) of two runs.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {type Run, overlap, readTrecRun, writeTrecRun} from '../../ts/index.ts';
import {testWithShared} from '../support/shared-tests.ts';

/** Makes a run from query ids and their lists. Each letter of a list is the id of a passage. */
function runOf(lists: Readonly<Record<string, string>>): Run {
	return new Map(Object.entries(lists).map(([query, ids]) => [query, [...ids].map((id, at) => ({id, score: -at}))]));
}

test('the overlap at several k equals the values computed by hand', async t => {
	const dense = runOf({q1: 'abcd', q2: 'xy', 'only dense': 'a'});
	const sparse = runOf({q2: 'yx', q1: 'acef'});

	const {jaccard, perQuery, queries, missing} = await overlap(dense, sparse, [1, 2, 4, 1000]);

	t.deepEqual(
		[...jaccard],
		[
			// For k = 1, q1 has a in both runs; q2 has x and y, which differ.
			[1, (1 + 0) / 2],
			// q1 has 1 of the 3 passages {a, b, c} in common, and q2 has both of its passages in common.
			[2, (1 / 3 + 1) / 2],
			// q1 has 2 of the 6 passages {a, …, f} in common: a and c.
			[4, (2 / 6 + 1) / 2],
			[1000, (2 / 6 + 1) / 2],
		],
	);
	t.deepEqual([queries, missing], [2, 1]);
	t.deepEqual([...perQuery.keys()], ['q1', 'q2']);
	t.deepEqual(
		[...perQuery.get('q1')!],
		[
			[1, 1],
			[2, 1 / 3],
			[4, 2 / 6],
			[1000, 2 / 6],
		],
	);
});

test('hits with equal scores keep the order of their list', async t => {
	const tied = (ids: string): Run => new Map([['q', [...ids].map(id => ({id, score: 1}))]]);
	// If ties were ordered by id, both lists would begin with the same passage.
	t.deepEqual([...(await overlap(tied('abc'), tied('cba'), [1, 2])).jaccard.values()], [0, 1 / 3]);
	await t.throwsAsync(overlap(tied('aa'), tied('aa'), [1]), {code: 'ERR_ARGUMENT', message: /expected each passage once, got "a" twice/u});
});

test('a run overlaps fully with itself, in memory and read from a file', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-overlap-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const run = runOf({q1: 'abcd', q2: 'xy'});
	await writeTrecRun(join(folder, 'run'), run);
	const {jaccard} = await overlap(await readTrecRun(join(folder, 'run')), run, [3, 20]);
	t.deepEqual([...jaccard.values()], [1, 1]);
});

test('invalid arguments are refused, and progress counts queries', async t => {
	const run = runOf({q1: 'ab', q2: 'c'});
	await t.throwsAsync(overlap(run, runOf({q3: 'ab'}), [1]), {
		code: 'ERR_ARGUMENT',
		message: 'runs: expected queries in common, got "q1", "q2" and "q3"',
	});
	await t.throwsAsync(overlap(run, run, []), {code: 'ERR_ARGUMENT', message: 'ks: expected at least one cut-off, got none'});
	await t.throwsAsync(overlap(run, run, [0]), {code: 'ERR_ARGUMENT', message: 'k: expected a whole number of at least 1, got 0'});
	await t.throwsAsync(overlap(run, 7 as unknown as Run, [1]), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(overlap(run, run, [1], {signal: AbortSignal.abort(new Error('enough'))}), {message: 'enough'});
	let last;
	await overlap(run, run, [1], {onProgress: progress => (last = progress)});
	t.deepEqual(last, {done: 2, total: 2});
});

const realRuns = ['reference/lucene/scifact.bm25.trec.gz', 'reference/scifact.bm25.top100.trec.gz'] as const;
testWithShared('the overlap of two long runs equals the overlap computed with sets', realRuns, async (t, one, other) => {
	const [a, b] = [await readTrecRun(one), await readTrecRun(other)];
	const ks = [20, 100, 500, 1000];
	const {jaccard, queries} = await overlap(a, b, ks);
	const common = [...a.keys()].filter(query => b.has(query));
	t.is(queries, common.length);
	t.true(queries > 100);
	const ranked = (run: Run, query: string): string[] => run.get(query)!.map(({id}) => id);
	for (const k of ks) {
		const shares = common.map(query => {
			const [first, second] = [new Set(ranked(a, query).slice(0, k)), new Set(ranked(b, query).slice(0, k))];
			return [...first].filter(id => second.has(id)).length / new Set([...first, ...second]).size;
		});
		const mean = shares.reduce((sum, share) => sum + share, 0) / shares.length;
		t.true(Math.abs(jaccard.get(k)! - mean) < 1e-12, `${k}: ${mean}, ${jaccard.get(k)}`);
	}
	t.true(jaccard.get(1000)! < 1, 'one of the runs has at most 100 hits per query');
});
