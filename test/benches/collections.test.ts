// Tests the benchmark of collections, which compares systems that search documents while they change: its random numbers, its data, how
// it computes recall, and its tables.
import {readFileSync, rmSync} from 'node:fs';
import {join} from 'node:path';
import test from 'ava';
import {DIM, nearest, prepareData} from '../../benches/collections/data.ts';
import type {Definition, SystemResult} from '../../benches/collections/definition.ts';
import {recallOf} from '../../benches/collections/measure.ts';
import {Random} from '../../benches/collections/random.ts';
import {tables} from '../../benches/collections/table.ts';

test('random numbers depend only on the seed, and have the mean and variance of their distribution', t => {
	const draw = (seed: number): number[] =>
		Array.from(
			{length: 20_000},
			(() => {
				const random = new Random(seed);
				return () => random.gaussian();
			})(),
		);
	const values = draw(5);
	t.deepEqual(values, draw(5));
	t.notDeepEqual(values, draw(6));
	const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
	t.true(Math.abs(mean) < 0.03);
	t.true(Math.abs(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length - 1) < 0.04);
	const random = new Random(1);
	t.deepEqual([...new Set(Array.from({length: 200}, () => random.below(5)))].toSorted(), [0, 1, 2, 3, 4]);
});

test('documents have fields and unit vectors, and `nearest` returns only documents that match the filter', t => {
	const folder = prepareData(61, 3, () => {});
	t.teardown(() => rmSync(folder, {recursive: true, force: true}));
	const lines = readFileSync(join(folder, 'documents.jsonl'), 'utf8').trimEnd().split('\n');
	const documents = lines.map(line => JSON.parse(line) as {text: string; fields: {price: number; category: string}});
	t.is(documents.length, 61);
	t.true(
		documents.every(({text, fields}) => text.split(' ').length >= 40 && fields.price < 1000 && /^category\d+$/u.test(fields.category)),
	);
	const bytes = readFileSync(join(folder, 'vectors.f32'));
	const vectors = new Float32Array(bytes.buffer, bytes.byteOffset, bytes.length / 4);
	for (let row = 0; row < 61; row++) {
		const squares = vectors.subarray(row * DIM, (row + 1) * DIM).reduce((sum, value) => sum + value * value, 0);
		t.true(Math.abs(squares - 1) < 1e-5);
	}
	// The nearest document to the vector of a document is this document, unless the filter excludes it.
	const query = {text: '', vector: [...vectors.subarray(7 * DIM, 8 * DIM)]};
	const {price} = documents[7]!.fields;
	t.is(nearest(folder, 61, price + 1, 10, [query])[0]![0], 7);
	const others = nearest(folder, 61, price, 61, [query])[0]!;
	const matching = documents.flatMap(({fields}, ord) => (fields.price < price ? [ord] : []));
	t.deepEqual(
		others.toSorted((a, b) => a - b),
		matching,
	);
	t.deepEqual(nearest(folder, 5, 1000, 10, [query])[0]!.toSorted(), [0, 1, 2, 3, 4], 'only the first five documents are searched');
});

test('recall is the share of the nearest documents that were found, in any order; if there are none to find, it is 1', t => {
	t.is(
		recallOf(
			[['d2', 'd1'], ['d9']],
			[
				[1, 2],
				[3, 4],
			],
		),
		0.5,
	);
	t.is(recallOf([[]], [[]]), 1);
});

test('tables have a column per system and a dash for what was not measured, and a line says why a measurement failed', t => {
	const figure = (median: number) => ({median, least: median / 2, most: 2 * median});
	const definition: Definition = {
		about: '',
		systems: ['one', 'two'],
		documents: 1000,
		queries: 1,
		rounds: 3,
		loadRounds: 3,
		bulkBatch: 500,
		incrementalBatch: 100,
		commitSizes: [1000],
		commits: [{count: 1, times: 2}],
		priceLimits: [10],
		k: 10,
		recall: 0.95,
		seconds: 1,
		mixed: {rate: 1000, batch: 100, seconds: 1},
	};
	const seconds = figure(2);
	// `effort` is the value of a search parameter, such as `efSearch`.
	const one: SystemResult = {
		system: 'one',
		load: {durableSeconds: seconds, completeSeconds: seconds, cpuSeconds: seconds, fileBytes: figure(1e6), peakBytes: figure(1e6)},
		commits: [{size: 1000, count: 1, ms: figure(5)}],
		searches: [
			{
				kind: 'vector',
				priceLimit: 10,
				effort: 64,
				recall: 0.961,
				queriesPerSecond: figure(1500),
				p50: figure(0.5),
				p99: figure(1),
				residentBytes: figure(1e8),
			},
		],
		failures: ['text search: out of memory'],
	};
	const lines = tables(definition, [one, {system: 'two', commits: [], searches: [], failures: []}]).split('\n');
	for (const line of [
		'| bulk, 500 per call: documents per second, until the last commit | 500 (250–1,000) | – |',
		'| 1 into 1000 | 5 (2.5–10) | – |',
		'| 1%, vector: queries per second | 1,500 (750–3,000) | – |',
		'| 1%: recall@10 of vectors (effort) | 0.961 (64) | – |',
		'one failed: text search: out of memory',
	]) {
		t.true(lines.includes(line), line);
	}
});
