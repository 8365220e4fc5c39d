// Tests candidate lists: which passages they contain, and how searchers are evaluated on them.
import test from 'ava';
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {
	Bm25Index,
	DenseSearcher,
	FlatIndex,
	type Encoder,
	type Hit,
	type Passage,
	type Qrels,
	type Query,
	type Run,
	candidateLists,
	evaluateCandidates,
	rankCandidates,
} from '../../ts/index.ts';

/** The ids of all passages. */
const ids = Array.from({length: 60}, (_, i) => `p${i}`);
const queries: readonly Query[] = Array.from({length: 9}, (_, i) => ({id: `q${i}`, text: `word${i}`}));
/** For query i, the passages i + 20 and i + 30 have grade 2, passage i has grade 1, and passage i + 1 is judged as not relevant. */
const qrels: Qrels = new Map(
	queries.map(({id}, i) => [
		id,
		new Map([
			[`p${i}`, 1],
			[`p${i + 20}`, 2],
			[`p${i + 30}`, 2],
			[`p${i + 1}`, 0],
		]),
	]),
);
/** Returns hits with these ids, in this order. */
const list = (ids: readonly string[]): Hit[] => ids.map((id, i) => ({id, score: 100 - i}));
/** The run from which hard negatives are taken: for query i, the passages i + 20 and i first, then all others in the order of `ids`. */
const hard: Run = new Map(
	queries.map(({id}, i) => [id, list([`p${i + 20}`, `p${i}`, ...ids.filter(other => other !== `p${i}` && other !== `p${i + 20}`)])]),
);

test('candidates are the gold passage, the best hits that are not relevant, and a random sample', async t => {
	const {lists, size, shortListCount, withoutRelevantCount} = await candidateLists(queries, qrels, hard, ids, {seed: 7});
	// By default, a list has the gold passage, 10 hard negatives and 20 random passages.
	t.deepEqual([size, shortListCount, withoutRelevantCount, lists.size], [31, 0, 0, 9]);
	for (const [i, {id}] of queries.entries()) {
		const {gold, ids: candidates} = lists.get(id)!;
		// Two passages have grade 2; the one that comes first in the qrels is the gold passage.
		t.is(gold, `p${i + 20}`);
		t.is(candidates[0], gold);
		const relevant = new Set([`p${i}`, `p${i + 30}`]);
		t.deepEqual(candidates.slice(1, 11), ids.filter(other => other !== gold && !relevant.has(other)).slice(0, 10));
		t.is(new Set(candidates).size, 31);
		t.false(candidates.some(other => relevant.has(other)));
	}
	t.notDeepEqual(lists.get('q0')!.ids.slice(11), lists.get('q1')!.ids.slice(11));
	// The samples of the queries differ: each of the nine samples has 20 of the query's 47 remaining passages, and together the samples have
	// more than 40 passages.
	const drawn = [...lists.values()].flatMap(({ids: candidates}) => candidates.slice(11));
	t.true(new Set(drawn).size > 40, String(new Set(drawn).size));
});

test('the same seed gives the same candidates, regardless of the other queries and their order', async t => {
	const all = await candidateLists(queries, qrels, hard, ids, {seed: 7});
	const some = await candidateLists([queries[5]!, queries[2]!], qrels, hard, ids, {seed: 7});
	t.deepEqual(some.lists.get('q5'), all.lists.get('q5'));
	t.deepEqual(some.lists.get('q2'), all.lists.get('q2'));
	t.deepEqual([...some.lists.keys()], ['q5', 'q2']);
	const other = await candidateLists(queries, qrels, hard, ids, {seed: 8});
	t.deepEqual(other.lists.get('q5')!.ids.slice(0, 11), all.lists.get('q5')!.ids.slice(0, 11));
	t.notDeepEqual(other.lists.get('q5'), all.lists.get('q5'));
});

test('a small corpus gives short lists, which are counted, and queries without a relevant passage are left out', async t => {
	const small = ids.slice(0, 22);
	const {lists, shortListCount, withoutRelevantCount} = await candidateLists(queries, qrels, hard, small);
	// The small corpus has two relevant passages for q0 (p0, p20) and q1 (p1, p21), and one for each other query (p2 to p8). All of its 22
	// passages are candidates, except that q0 and q1 do not get their second relevant passages (p0 and p1).
	t.is(lists.get('q0')!.gold, 'p20');
	t.is(lists.get('q2')!.gold, 'p2');
	t.deepEqual([lists.get('q0')!.ids.length, lists.get('q2')!.ids.length], [21, 22]);
	t.deepEqual([shortListCount, withoutRelevantCount], [9, 0]);
	const partial = await candidateLists([...queries, {id: 'unjudged', text: ''}], qrels, hard, ids.slice(5, 18));
	// This corpus contains relevant passages for q5 to q8 only: p5 to p8.
	t.deepEqual([...partial.lists.keys()], ['q5', 'q6', 'q7', 'q8']);
	t.is(partial.withoutRelevantCount, 6);
	// This run has only two hard negatives. Other passages do not replace the eight that are missing.
	const run: Run = new Map([['q0', list(['p20', 'p3', 'p4'])]]);
	const few = await candidateLists([queries[0]!], qrels, run, ids, {random: 4});
	t.deepEqual([few.lists.get('q0')!.ids.slice(0, 3), few.lists.get('q0')!.ids.length, few.shortListCount], [['p20', 'p3', 'p4'], 7, 1]);
});

test('a passage that isRelevant accepts is not a candidate, even if it is not judged as relevant', async t => {
	const asked: string[] = [];
	const {lists} = await candidateLists([queries[0]!], qrels, hard, ids, {
		async isRelevant(query, passage) {
			asked.push(query);
			return passage.endsWith('1');
		},
	});
	t.true(asked.length >= 30 && asked.every(id => id === 'q0'));
	// p1 is judged as not relevant, but `isRelevant` accepts it.
	const {ids: candidates} = lists.get('q0')!;
	t.is(candidates.length, 31);
	t.false(candidates.some(id => id.endsWith('1')));
	t.deepEqual(candidates.slice(1, 4), ['p2', 'p3', 'p4']);
});

test('a query is correct only if the gold passage scores higher than all others: a tie does not count, even in first place', async t => {
	const lists = new Map(['won', 'tied', 'second', 'unfound', 'missing'].map(id => [id, {gold: 'g', ids: ['g', 'a', 'b']}]));
	const run: Run = new Map([
		[
			'won',
			[
				{id: 'g', score: 2},
				{id: 'a', score: 1},
			],
		],
		[
			'tied',
			[
				{id: 'g', score: 2},
				{id: 'a', score: 2},
				{id: 'b', score: 1},
			],
		],
		[
			'second',
			[
				{id: 'a', score: 3},
				{id: 'g', score: 2},
				{id: 'b', score: 1},
			],
		],
		['unfound', [{id: 'a', score: 3}]],
	]);
	const {accuracy, mrr, missing, perQuery} = await evaluateCandidates(run, {lists, size: 3, shortListCount: 0, withoutRelevantCount: 0});
	t.is(accuracy, 1 / 5);
	// In the order of the queries: won, tied, second, unfound, missing.
	t.is(mrr, (1 + 1 / 2 + 1 / 2 + 0 + 0) / 5);
	t.is(missing, 1);
	t.deepEqual(perQuery.get('tied'), {correct: false, reciprocalRank: 1 / 2});
});

test('BM25 and dense searchers rank only the candidates, in the order in which they rank all passages', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-candidates-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const passages: Passage[] = ids.map((id, i) => ({id, text: `word${i % 20} word${i % 7} other${i}`}));
	await using bm25 = await Bm25Index.build(join(folder, 'bm25'), passages);
	const candidates = await candidateLists(queries, qrels, bm25, ids, {negatives: 3, random: 5, seed: 1});
	// The number at the end of a text determines the angle of its vector, a point on the unit circle.
	const encoder: Encoder = {
		dim: 2,
		async encode(inputs) {
			const data = Float32Array.from(
				inputs.flatMap(input => {
					const angle = Number(/\d+$/u.exec(typeof input === 'string' ? input : input.text)![0]) / 10;
					return [Math.cos(angle), Math.sin(angle)];
				}),
			);
			return {data, rows: inputs.length, dim: 2};
		},
	};
	await using index = new FlatIndex({dim: 2});
	await index.add(ids, await encoder.encode(passages));
	for (const searcher of [bm25, new DenseSearcher({encoder, index})]) {
		let seen = 0;
		const run = await rankCandidates(searcher, [...queries, {id: 'unjudged', text: 'x'}], candidates, {
			concurrency: 3,
			onProgress({done}) {
				seen = done;
			},
		});
		t.is(seen, 9);
		t.deepEqual([...run.keys()], [...candidates.lists.keys()]);
		for (const {id, text} of queries) {
			const allowed = new Set(candidates.lists.get(id)!.ids);
			const expected = (await searcher.search(text, {k: 60})).filter(hit => allowed.has(hit.id));
			t.deepEqual(run.get(id), expected);
		}
		const controller = new AbortController();
		controller.abort(new Error('enough'));
		await t.throwsAsync(rankCandidates(searcher, queries, candidates, {signal: controller.signal}), {message: 'enough'});
	}
	await t.throwsAsync(
		rankCandidates({search: async () => [{id: 'p59', score: 1}]}, queries, {
			...candidates,
			lists: new Map([['q0', {gold: 'p0', ids: ['p0']}]]),
		}),
		{
			code: 'ERR_ARGUMENT',
			message: 'searcher: expected hits among the candidates of query "q0", got "p59": the searcher ignores the filter by ids',
		},
	);
});

test('invalid arguments are refused', async t => {
	await t.throwsAsync(candidateLists(queries, qrels, hard, ids, {negatives: -1}), {
		message: 'negatives: expected a whole number of at least 0, got -1',
	});
	await t.throwsAsync(candidateLists(queries, qrels, hard, ['a', 'a']), {
		code: 'ERR_DUPLICATE_ID',
		message: 'passages: expected distinct ids, got 1 repeated',
	});
	await t.throwsAsync(candidateLists(queries, qrels, {} as never, ids), {message: 'hard: expected a run or a searcher, got an object'});
	await t.throwsAsync(candidateLists(queries, [] as never, hard, ids), {message: /^gold: expected a Map/u});
	await t.throwsAsync(evaluateCandidates(new Map(), {lists: new Map(), size: 31, shortListCount: 0, withoutRelevantCount: 0}), {
		message: 'candidates: expected candidates for at least one query, got none',
	});
});
