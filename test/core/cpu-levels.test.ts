// Compares searches at all levels of instruction sets that the CPU supports. Each level runs in a child process, because the environment
// variable PASSAGEKIT_CPU, which forces a level, is read only once per process.
import {execFile} from 'node:child_process';
import {promisify} from 'node:util';
import test from 'ava';
import {native} from '../../ts/core/native/native.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {passagekit} from '../support/command.ts';
import {random, row} from '../support/vectors.ts';

const execute = promisify(execFile);

/** What the child process prints: the level that it used, the ids and scores of the hits of each query, and the vectors of two texts. */
interface SearchResults {
	readonly level: string;
	readonly bm25: ReadonlyArray<ReadonlyArray<readonly [string, number]>>;
	readonly exact: ReadonlyArray<ReadonlyArray<readonly [string, number]>>;
	readonly approximate: ReadonlyArray<ReadonlyArray<readonly [string, number]>>;
	readonly encoded: readonly number[];
}

const [ROWS, DIM, QUERIES] = [3000, 100, 20];

/** Source code of the child process. It builds a BM25 index, an exact vector index and an HNSW index, searches them, and encodes texts. */
const source = `
	import {mkdtemp, rm} from 'node:fs/promises';
	import {tmpdir} from 'node:os';
	import {join} from 'node:path';
	const ts = ${JSON.stringify(new URL('../../ts/', import.meta.url).href)};
	const {Bm25Index, Bm25Writer, FlatIndex, HnswIndex, OnnxEncoder} = await import(ts + 'index.ts');
	const {native} = await import(ts + 'core/native/native.ts');
	const {names, random, row} = await import(${JSON.stringify(new URL('../support/vectors.ts', import.meta.url).href)});
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-levels-'));
	const pairs = hits => hits.map(({id, score}) => [id, score]);
	try {
		const path = join(folder, 'bm25');
		const writer = await Bm25Writer.create(path, {analyzer: 'whitespace'});
		// The word w<d> occurs one to seven times in each passage whose number is divisible by d.
		const text = passage => Array.from({length: 60}, (_, i) => i + 1)
			.filter(divisor => passage % divisor === 0)
			.map(divisor => ('w' + divisor + ' ').repeat(1 + Math.floor(passage / divisor) % 7))
			.join('');
		await writer.add(Array.from({length: 20_000}, (_, passage) => ({id: String(passage), text: text(passage)})));
		await writer.commit();
		await writer.close();
		const index = await Bm25Index.open(path);
		const bm25 = [];
		for (const query of ['w1 w2 w3', 'w2 w59', 'w5 w7 w11 w13 w2', 'w31 w1 w4 w6 w8 w9 w10 w12 w3 w2 w14 w16']) {
			for (const k of [10, 1000]) {
				bm25.push(pairs(await index.search(query, {k})));
			}
		}
		const [data, queries] = [random(${ROWS}, ${DIM}), random(${QUERIES}, ${DIM}, 2)];
		const results = {level: native.systemInfo().level, bm25, exact: [], approximate: []};
		for (const [name, vectors] of [
			['exact', new FlatIndex({dim: ${DIM}, storage: 'int8Rescored'})],
			['approximate', new HnswIndex({dim: ${DIM}})],
		]) {
			await vectors.add(names(${ROWS}), data);
			for (let at = 0; at < ${QUERIES}; at++) {
				results[name].push(pairs(await vectors.search(row(queries, at), {k: 10})));
			}
		}
		const encoder = await OnnxEncoder.load('minilm-encoder');
		results.encoded = [...(await encoder.encode(['a bridge over the river', {title: 'Hens', text: 'They lay eggs.'}])).data];
		console.log(JSON.stringify(results));
	} finally {
		await rm(folder, {recursive: true});
	}
`;

/** Searches in a child process at the given level. */
async function searchAt(level: string): Promise<SearchResults> {
	const {stdout} = await execute(process.execPath, ['--import=tsx', '--input-type=module', '--eval', source], {
		cwd: packageRoot,
		env: {...process.env, PASSAGEKIT_CPU: level},
		maxBuffer: 1 << 26,
	});
	return JSON.parse(stdout) as SearchResults;
}

test('all levels give the same BM25 hits and scores, the same vectors of texts, and the same exact vector hits up to the rounding of inner products', async t => {
	const levels = native.systemInfo().supportedLevels;
	t.is(levels.at(-1), 'scalar');
	const [data, queries] = [random(ROWS, DIM), random(QUERIES, DIM, 2)];
	let expected: Pick<SearchResults, 'bm25' | 'encoded'> | undefined;
	for (const level of levels) {
		const {level: used, bm25, exact, approximate, encoded} = await searchAt(level);
		t.is(used, level);
		expected ??= {bm25, encoded};
		t.deepEqual({bm25, encoded}, expected, level);
		for (const [at, hits] of exact.entries()) {
			const query = row(queries, at);
			const scores = Array.from({length: ROWS}, (_, i) => product(query, row(data, i)));
			const best = [...scores.keys()].sort((a, b) => scores[b]!.value - scores[a]!.value).slice(0, 10);
			for (const [i, [id, score]] of hits.entries()) {
				const {value, errorBound} = scores[Number(id.slice(1))]!;
				t.true(Math.abs(score - value) <= errorBound, `${level}: ${score} is not ${value} ± ${errorBound}`);
				// If the hit is not the row with the i-th best score, their scores are so close that rounding may exchange the rows.
				const other = scores[best[i]!]!;
				t.true(Math.abs(other.value - value) <= other.errorBound + errorBound, `${level}: ${id} at position ${i}`);
			}
			const found = new Set(approximate[at]!.map(([id]) => id));
			t.true(hits.filter(([id]) => found.has(id)).length >= 7, `${level}: the HNSW index found ${[...found].join()}`);
		}
	}
});

/**
Computes an inner product in 64-bit arithmetic, and a bound on the rounding error of its computation in 32-bit arithmetic with any order of
summation: γₙ Σ |aᵢbᵢ| (Higham, 2002, §3.1).
*/
function product(a: Float32Array, b: Float32Array): {value: number; errorBound: number} {
	let [value, magnitudes] = [0, 0];
	for (const [i, number] of a.entries()) {
		value += number * b[i]!;
		magnitudes += Math.abs(number * b[i]!);
	}
	const unitRoundoff = 2 ** -24;
	return {value, errorBound: ((DIM * unitRoundoff) / (1 - DIM * unitRoundoff)) * magnitudes};
}

test('if PASSAGEKIT_CPU is not a level that this CPU supports, every call that needs the addon is refused', async t => {
	const {stdout} = await passagekit(['doctor', '--json'], {PASSAGEKIT_CPU: 'sse9'});
	const {findings} = JSON.parse(stdout) as {findings: Array<{what: string; ok: boolean; is: string}>};
	const {ok, is} = findings.find(({what}) => what === 'addon')!;
	t.false(ok);
	t.regex(is, /^the environment variable PASSAGEKIT_CPU: expected a level that this CPU supports, one of .*scalar; got sse9$/u);
	const source = `
		const {FlatIndex} = await import(${JSON.stringify(new URL('../../ts/index.ts', import.meta.url).href)});
		for (let attempt = 0; attempt < 2; attempt++) {
			try { new FlatIndex({dim: 2}); } catch (error) { console.log(error.code); }
		}
	`;
	const args = ['--import=tsx', '--input-type=module', '--eval', source];
	const result = await execute(process.execPath, args, {cwd: packageRoot, env: {...process.env, PASSAGEKIT_CPU: 'sse9'}});
	t.is(result.stdout, 'ERR_ARGUMENT\nERR_ARGUMENT\n');
});

test('doctor names the level in use and the levels that PASSAGEKIT_CPU can force', async t => {
	const {stdout} = await passagekit(['doctor', '--json'], {PASSAGEKIT_CPU: 'scalar'});
	const {findings} = JSON.parse(stdout) as {findings: Array<{what: string; is: string}>};
	t.regex(findings.find(({what}) => what === 'addon')!.is, /scalar kernels \(PASSAGEKIT_CPU can force .+\)$/u);
});
