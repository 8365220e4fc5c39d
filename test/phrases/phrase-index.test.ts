// Tests `PhraseIndex`, which finds passages by their best phrases.
import {readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {
	FlatIndex,
	type PhraseHit,
	PhraseIndex,
	type PhraseIndexOptions,
	type PhrasePlace,
	RetrievalError,
	type Vectors,
} from '../../ts/index.ts';
import {folder} from '../support/vectors.ts';

const DIM = 24;

/** Returns a generator of pseudorandom numbers in [0, 1). The same seed gives the same numbers. */
function randomGenerator(seed: number): () => number {
	let state = seed;
	return () => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return state / 2 ** 32;
	};
}

/** Generates passages with 1 to 7 phrases each, except passage 17, which has 60. The phrases of a passage have similar vectors. */
function corpus(passages: number, seed = 5): {phrases: PhrasePlace[]; vectors: Vectors} {
	const next = randomGenerator(seed);
	const phrases: PhrasePlace[] = [];
	const data: number[] = [];
	for (let passage = 0; passage < passages; passage++) {
		const center = Array.from({length: DIM}, () => next() - 0.5);
		const count = passage === 17 ? 60 : 1 + Math.floor(next() * 7);
		for (let at = 0; at < count; at++) {
			phrases.push({id: `passage ${passage}`, start: at * 10, end: at * 10 + 9});
			data.push(...center.map(x => x + (next() - 0.5) * 0.4));
		}
	}
	return {phrases, vectors: {data: Float32Array.from(data), rows: phrases.length, dim: DIM}};
}

/** Reference: the score of a passage is the maximum of v·q / |v| over the vectors v of its phrases (Yang et al., 2023, §3.1). */
function byFormula({phrases, vectors}: ReturnType<typeof corpus>, query: Float32Array, k: number): PhraseHit[] {
	const best = new Map<string, PhraseHit>();
	for (const [row, phrase] of phrases.entries()) {
		const vector = vectors.data.subarray(row * DIM, (row + 1) * DIM);
		const score = vector.reduce((sum, x, i) => sum + x * query[i]!, 0) / Math.hypot(...vector);
		if (score > (best.get(phrase.id)?.score ?? -Infinity)) {
			best.set(phrase.id, {...phrase, score});
		}
	}
	return [...best.values()].sort((a, b) => b.score - a.score).slice(0, k);
}

/** Returns pseudorandom query vectors. */
function queries(count: number, seed = 9): Vectors {
	const next = randomGenerator(seed);
	return {data: Float32Array.from({length: count * DIM}, () => next() - 0.5), rows: count, dim: DIM};
}

const places = (hits: readonly PhraseHit[]): PhrasePlace[] => hits.map(({id, start, end}) => ({id, start, end}));

const storages = ['f32', 'int8Rescored', 'f16'] as const;

for (const storage of storages) {
	test(`flat ${storage}: a search ranks passages by their best phrases and returns k passages, or all if there are fewer`, async t => {
		const all = corpus(300);
		await using index = new PhraseIndex({dim: DIM, storage});
		await index.add(all.phrases, all.vectors);
		t.is(index.size, all.phrases.length);
		t.is(await index.passageCount(), 300);
		// All queries are searched in one batch; the first 20 are compared.
		const many = queries(70);
		for (const k of [1, 10, 100, 300, 1000]) {
			const lists = await index.searchMany(many, {k});
			for (let at = 0; at < 20; at++) {
				const query = many.data.subarray(at * DIM, (at + 1) * DIM);
				const hits = await index.search(query, {k});
				t.deepEqual(lists[at], hits, 'alone and in a batch');
				t.is(hits.length, Math.min(k, 300));
				const expected = byFormula(all, query, k);
				// In half precision, rounding may change the order of passages with similar scores.
				if (storage !== 'f16') {
					t.deepEqual(places(hits), places(expected));
				}
				for (const [i, {score}] of hits.entries()) {
					t.true(Math.abs(score - expected[i]!.score) < 1e-3);
				}
			}
		}
	});
}

test('the best phrases equal those of an exhaustive search, with and without normalization and with a filter', async t => {
	const {phrases, vectors} = corpus(60);
	const many = queries(5);
	const allowed = (id: string): boolean => Number(id.slice('passage '.length)) % 3 === 0;
	for (const normalize of [true, false]) {
		await using index = new PhraseIndex({dim: DIM, normalize});
		await index.add(phrases, vectors);
		const exhaustive = (query: Float32Array, isAllowed: (id: string) => boolean): PhraseHit[] =>
			phrases
				.map((phrase, row) => {
					const vector = vectors.data.subarray(row * DIM, (row + 1) * DIM);
					const product = vector.reduce((sum, x, i) => sum + x * query[i]!, 0);
					return {...phrase, score: normalize ? product / Math.hypot(...vector) : product};
				})
				.filter(({id}) => isAllowed(id))
				.sort((a, b) => b.score - a.score)
				.slice(0, 30);
		const assertAgree = (found: readonly PhraseHit[], expected: readonly PhraseHit[]): void => {
			t.deepEqual(places(found), places(expected));
			t.true(found.every(({score}, i) => Math.abs(score - expected[i]!.score) < 1e-5));
		};
		const filter = {where: allowed};
		const all = await index.searchPhrasesMany(many, {k: 30});
		const some = await index.searchPhrasesMany(many, {k: 30, filter});
		for (let row = 0; row < many.rows; row++) {
			const query = many.data.subarray(row * DIM, (row + 1) * DIM);
			const expected = exhaustive(query, () => true);
			assertAgree(all[row]!, expected);
			assertAgree(some[row]!, exhaustive(query, allowed));
			assertAgree(await index.searchPhrases(query, {k: 30}), expected);
			// Some passages have several of the best phrases.
			t.true(new Set(expected.map(({id}) => id)).size < 30);
		}
	}
	await using index = new PhraseIndex({dim: DIM});
	await t.throwsAsync(index.searchPhrases(Float32Array.of(1)), {instanceOf: RetrievalError, code: 'ERR_DIMENSION'});
});

test('hnsw: a search returns k passages and nearly all of the best ones', async t => {
	const all = corpus(1500);
	await using index = new PhraseIndex({dim: DIM, vectorIndex: 'hnsw', threads: 1});
	await index.add(all.phrases, all.vectors);
	const many = queries(40);
	let found = 0;
	const lists = await index.searchMany(many, {k: 50});
	for (const [at, list] of lists.entries()) {
		const query = many.data.subarray(at * DIM, (at + 1) * DIM);
		const alone = await index.search(query, {k: 50});
		t.is(new Set(alone.map(hit => hit.id)).size, 50);
		t.is(new Set(list.map(hit => hit.id)).size, 50);
		const expected = new Set(byFormula(all, query, 50).map(hit => hit.id));
		found += alone.filter(hit => expected.has(hit.id)).length;
		t.deepEqual(await index.search(query, {k: 50}), alone, 'a repeated search returns the same hits');
	}
	t.true(found > 0.95 * 40 * 50, `found ${found} of 2000`);
	t.is((await index.search(many.data.subarray(0, DIM), {k: 5000})).length, 1500);
});

for (const vectorIndex of ['flat', 'hnsw'] as const) {
	const options: PhraseIndexOptions = vectorIndex === 'flat' ? {dim: 1} : {dim: 1, vectorIndex, threads: 1};
	const vectors = (...data: number[]): Vectors => ({data: Float32Array.from(data), rows: data.length, dim: 1});
	const query = Float32Array.of(2);
	const phrase = (id: string, start: number, end: number): PhrasePlace => ({id, start, end});

	test(`${vectorIndex}: passages are replaced and deleted with all their phrases`, async t => {
		await using phrases = new PhraseIndex({...options, normalize: false});
		await phrases.add([phrase('a', 0, 1), phrase('a', 2, 3), phrase('b', 0, 4), phrase('c', 0, 5)], vectors(1, 3, 2, -1));
		const onlyA = await phrases.filter({ids: ['a', 'nobody']});
		t.deepEqual([onlyA.size, onlyA.unknown], [2, 1]);
		t.deepEqual(await phrases.search(query), [
			{id: 'a', score: 6, start: 2, end: 3},
			{id: 'b', score: 4, start: 0, end: 4},
			{id: 'c', score: -2, start: 0, end: 5},
		]);
		// One phrase keeps its offsets, one is removed, and two are added.
		await phrases.update([phrase('a', 0, 1), phrase('a', 4, 6), phrase('a', 7, 9)], vectors(5, 0, 7));
		t.deepEqual(await phrases.phrases('a'), [phrase('a', 0, 1), phrase('a', 4, 6), phrase('a', 7, 9)]);
		t.is(phrases.size, 5);
		t.deepEqual(places(await phrases.search(query, {k: 1})), [phrase('a', 7, 9)]);
		t.deepEqual(
			places(await phrases.search(query, {filter: onlyA})),
			[phrase('a', 7, 9)],
			'a filter selects passages, so it also selects phrases that were added to them later',
		);
		await t.throwsAsync(phrases.update([phrase('d', 0, 1)], vectors(9)), {code: 'ERR_ARGUMENT', message: /"d" at row 0/u});
		await phrases.update([phrase('d', 0, 1), phrase('b', 9, 9)], vectors(9, 8), {upsert: true});
		t.deepEqual(places(await phrases.search(query, {k: 2})), [phrase('d', 0, 1), phrase('b', 9, 9)]);
		t.is(await phrases.delete(['d', 'a', 'a', 'nobody']), 2);
		t.deepEqual(
			(await phrases.search(query)).map(hit => hit.id),
			['b', 'c'],
		);
		t.deepEqual([await phrases.has('a'), await phrases.has('b'), phrases.size, await phrases.passageCount()], [false, true, 2, 2]);
		await phrases.compact();
		await phrases.add([phrase('a', 0, 1)], vectors(1));
		t.deepEqual(
			(await phrases.search(query)).map(hit => hit.id),
			['b', 'a', 'c'],
		);
		const ids: string[] = [];
		for await (const id of phrases.ids()) {
			ids.push(id);
		}
		t.deepEqual(ids.sort(), ['a', 'b', 'c']);
	});

	test(`${vectorIndex}: filters select passages`, async t => {
		await using phrases = new PhraseIndex(options);
		await phrases.add([phrase('a', 0, 1), phrase('a', 2, 3), phrase('b', 0, 4), phrase('c', 0, 5)], vectors(1, 3, 2, -1));
		const found = async (filter: Parameters<PhraseIndex['filter']>[0]): Promise<string[]> =>
			(await phrases.search(query, {filter})).map(hit => hit.id);
		t.deepEqual(await found({ids: ['c', 'a']}), ['a', 'c']);
		t.deepEqual(await found({where: id => id !== 'a'}), ['b', 'c']);
		t.deepEqual(await found({and: [{not: {ids: ['b']}}, {or: [{ids: ['c']}, {where: id => id === 'b'}]}]}), ['c']);
		const lists = await phrases.searchMany(vectors(1, -1), {filter: {ids: ['c']}});
		t.deepEqual(
			lists.map(list => list.map(hit => hit.score)),
			[[-1], [1]],
		);
	});

	test(`${vectorIndex}: a refused call leaves the index unchanged`, async t => {
		await using phrases = new PhraseIndex({...options, metadata: {language: 'en'}});
		await phrases.add([phrase('a', 0, 1)], vectors(1));
		const refused = async (given: readonly PhrasePlace[], data: Vectors, message: RegExp, code = 'ERR_ARGUMENT'): Promise<void> => {
			await t.throwsAsync(phrases.add(given, data), {instanceOf: RetrievalError, code, message});
		};
		await refused([phrase('b', 0, 1), phrase('a', 5, 6)], vectors(1, 1), /"a" at row 1, which is in the index/u, 'ERR_DUPLICATE_ID');
		await refused([phrase('b', 0, 1), phrase('c', 0, 1), phrase('b', 2, 3)], vectors(1, 1, 1), /"b" again at row 2/u);
		await refused(
			[phrase('b', 0, 1), phrase('b', 0, 1)],
			vectors(1, 1),
			/phrases of "b", got a repeated one at row 1/u,
			'ERR_DUPLICATE_ID',
		);
		await refused([phrase('', 0, 1)], vectors(1), /phrases\[0\]\.id: .*an empty one/u);
		await refused([phrase('x\u{1f}', 0, 1)], vectors(1), /none of them U\+001F/u);
		await refused([phrase('b', 3, 1)], vectors(1), /0 ≤ start ≤ end, got 3 and 1/u);
		await refused([phrase('b', 0, 1.5)], vectors(1), /got 0 and 1\.5/u);
		await refused([phrase('b', 0, 1)], vectors(0), /row 0/u);
		await refused([phrase('b', 0, 1)], vectors(Number.NaN), /NaN at row 0/u);
		await refused([null as unknown as PhrasePlace], vectors(1), /got null/u);
		await refused('ab' as unknown as PhrasePlace[], vectors(1), /array of phrases/u);
		await t.throwsAsync(phrases.add([phrase('b', 0, 1)], {data: Float32Array.of(1, 2), rows: 1, dim: 2}), {code: 'ERR_DIMENSION'});
		t.deepEqual([phrases.size, phrases.metadata as unknown], [1, {language: 'en'}]);
		t.throws(() => new PhraseIndex({...options, metadata: {'passagekit.phrases': 1}}), {code: 'ERR_ARGUMENT'});
		t.throws(() => new PhraseIndex({...options, vectorIndex: 'tree' as 'flat'}), {code: 'ERR_ARGUMENT'});
	});

	test(`${vectorIndex}: an index can be saved and opened`, async t => {
		const path = join(await folder(t), 'phrases');
		const all = corpus(200);
		const {dim: _, ...otherOptions} = options;
		const query = queries(1).data;
		let expected: PhraseHit[];
		{
			await using written = new PhraseIndex({...otherOptions, dim: DIM, metadata: {encoder: 'e'}} as PhraseIndexOptions);
			await written.add(all.phrases, all.vectors);
			await written.delete(['passage 3']);
			expected = await written.search(query, {k: 150});
			await written.save(path);
		}
		await using opened = await PhraseIndex.open(path);
		await opened.verify();
		t.deepEqual([opened.metadata as unknown, opened.normalized, await opened.passageCount()], [{encoder: 'e'}, true, 199]);
		t.deepEqual(await opened.search(query, {k: 150}), expected);
		t.is(await opened.has('passage 3'), false);
		{
			await using attached = PhraseIndex.attach(opened.share());
			t.deepEqual(await attached.search(query, {k: 150}), expected);
		}
		await t.throwsAsync(opened.add([phrase('passage 4', 0, 1)], {data: new Float32Array(DIM).fill(1), rows: 1, dim: DIM}), {
			message: /"passage 4" at row 0/u,
		});
		const bytes = await readFile(path);
		await writeFile(path, bytes.subarray(0, bytes.length - 9));
		await t.throwsAsync(PhraseIndex.open(path), {instanceOf: RetrievalError, code: 'ERR_INDEX_CORRUPT'});
	});
}

test('a vector index that was not made for phrases is refused', async t => {
	const path = join(await folder(t), 'flat');
	await using flat = new FlatIndex({dim: 2});
	await flat.save(path);
	await t.throwsAsync(PhraseIndex.open(path), {code: 'ERR_FORMAT', message: /use FlatIndex\.open/u});
	t.throws(() => PhraseIndex.attach(flat.share()), {code: 'ERR_ARGUMENT', message: /use FlatIndex\.attach/u});
	await t.throwsAsync(PhraseIndex.open(`${path}-missing`), {code: 'ERR_IO'});
});
