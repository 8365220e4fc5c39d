// Tests that malformed judgments, runs and candidate lists (for each query, the passages to rank) are refused.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {
	type Qrels,
	RetrievalError,
	type Run,
	candidateLists,
	evaluate,
	evaluateCandidates,
	foundBySparse,
	fuse,
	judgedScores,
	topKAccuracy,
	writeQrels,
	writeTrecRun,
} from '../../ts/index.ts';

const run: Run = new Map([['q', [{id: 'a', score: 1}]]]);
const qrels: Qrels = new Map([['q', new Map([['a', 1]])]]);

/** Asserts that a call is refused as invalid, and returns the error message. */
async function refused(t: ExecutionContext, call: () => unknown): Promise<string> {
	const error = await t.throwsAsync(async () => call(), {instanceOf: RetrievalError});
	t.is(error.code, 'ERR_ARGUMENT', error.message);
	return error.message;
}

/** Returns the path of a file in a new folder, which is removed after the test. */
async function pathOf(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-judgments-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return join(folder, 'file');
}

test('judgments that are not a Map of Maps are refused, with a hint on how to convert them, instead of giving a score of 0', async t => {
	const path = await pathOf(t);
	const cases: Array<[given: unknown, message: RegExp]> = [
		[
			{q: {a: 1}},
			/^\w+: expected a Map of query id to a Map of passage id to grade, got an object; convert it: new Map\(Object\.entries\(it\)\)$/u,
		],
		[[['q', new Map([['a', 1]])]], /got an Array$/u],
		[
			new Map([['q', {a: 1}]]),
			/judgments of query "q": expected a Map of passage id to grade, got an object; convert it: new Map\(Object\.entries\(it\)\)$/u,
		],
		[new Map([['q', new Set(['a'])]]), /got a Set; convert it: new Map\(\[\.\.\.it\]\.map\(id => \[id, 1\]\)\)$/u],
		[new Map([['q', new Map([['a', 0.5]])]]), /grade of "a": expected a 32-bit integer, got 0\.5$/u],
		[new Map([['q', new Map([['a', '1']])]]), /grade of "a": expected a 32-bit integer, got "1"$/u],
		[new Map([['q', new Map([['a', true]])]]), /got boolean$/u],
		[new Map([['q', new Map([['a', 2 ** 31]])]]), /got 2147483648$/u],
		[new Map([['q', new Map([['a', Number.NaN]])]]), /got NaN$/u],
		[new Map([['q', new Map([[1, 1]])]]), /passage id: expected a string, got number$/u],
		[new Map([['q', ['a']]]), /expected a Map of passage id to grade, got an Array/u],
	];
	for (const [given, message] of cases) {
		const bad = given as Qrels;
		for (const call of [
			async () => evaluate(run, bad, ['nDCG@10']),
			async () => judgedScores(run, bad),
			async () => writeQrels(path, bad),
			async () => candidateLists([{id: 'q', text: 'fox'}], bad, run, ['a']),
			() => foundBySparse(run, bad),
		]) {
			t.regex(await refused(t, call), message);
		}
	}
	t.is((await evaluate(run, qrels, ['nDCG@10'])).mean['nDCG@10'], 1);
});

test('the error for a malformed run names the query and the hit', async t => {
	const path = await pathOf(t);
	const runWith = (hits: unknown): unknown => new Map([['q', hits]]);
	const cases: Array<[given: unknown, message: RegExp]> = [
		[{q: [{id: 'a', score: 1}]}, /^run: expected a Map of query id to hits, got an object; convert it: new Map\(Object\.entries\(it\)\)$/u],
		[runWith({a: 1}), /^run: hits of query "q": expected an array of \{id, score\}, got an object$/u],
		[runWith(['a']), /^run: hits\[0\] of query "q": expected \{id: string, score: number\}, got string$/u],
		[runWith([null]), /hits\[0\] of query "q": expected .*, got null$/u],
		[runWith([{id: 'a', score: 1}, {score: 1}]), /hits\[1\] of query "q": expected .*, got \{id: undefined, score: 1\}$/u],
		[runWith([{id: 'a', score: '1'}]), /got \{id: "a", score: "1"\}$/u],
		[runWith([{id: 'a', score: Number.NaN}]), /hits\[0\] of query "q": score: expected a finite 32-bit number, got NaN$/u],
		[runWith([{id: 'a', score: Infinity}]), /score: expected a finite 32-bit number, got Infinity$/u],
		[runWith([{id: 'a', score: 1e39}]), /score: expected a finite 32-bit number, got 1e\+39$/u],
		[new Map([[1, []]]), /^run: query id: expected a string, got number$/u],
	];
	for (const [given, message] of cases) {
		const bad = given as Run;
		for (const call of [
			async () => evaluate(bad, qrels, ['nDCG@10']),
			async () => fuse([bad], {method: 'rrf'}),
			async () => writeTrecRun(path, bad),
			async () => topKAccuracy(bad, [{id: 'q', text: '', answers: ['x']}], new Map([['a', {text: 'x'}]]), [1]),
		]) {
			t.regex(await refused(t, call), message);
		}
	}
});

test('a passage that occurs twice in a list is refused, because it would count twice', async t => {
	const twice: Run = new Map([
		['p', [{id: 'a', score: 1}]],
		[
			'q',
			[
				{id: 'b', score: 3},
				{id: 'a', score: 2},
				{id: 'b', score: 1},
			],
		],
	]);
	for (const call of [async () => fuse([twice], {method: 'rrf'}), async () => evaluate(twice, qrels, ['R@1'])]) {
		t.is(await refused(t, call), 'run: hits of query "q": expected each passage once, got "b" twice');
	}
});

test('evaluateCandidates refuses malformed hits and malformed candidate lists', async t => {
	const candidates = await candidateLists([{id: 'q', text: 'fox'}], qrels, run, ['a', 'b']);
	t.regex(await refused(t, async () => evaluateCandidates(new Map([['q', [null]]]) as never, candidates)), /^run: hits\[0\] of query "q"/u);
	t.regex(await refused(t, async () => evaluateCandidates(run, {} as never)), /^candidates: lists: expected a Map/u);
});
