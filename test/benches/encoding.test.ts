// Tests the benchmark of encoders: how the outputs of systems are compared, and how its records are shown and compared.
import {mkdtempSync, rmSync, writeFileSync} from 'node:fs';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import type {EncodingRecord} from '../../benches/qps/encoding/kind.ts';
import {cosines, sameTokens, tokenCount} from '../../benches/qps/encoding/results/agreement.ts';
import {described} from '../../benches/qps/kinds.ts';
import {compare} from '../../benches/qps/report/compare/compare.ts';
import {reportHtml} from '../../benches/qps/report/page/page.ts';
import {figure, vectorsRecord} from './qps-records.ts';

const folder = mkdtempSync(join(tmpdir(), 'passagekit-encoding-'));
test.after.always(() => rmSync(folder, {recursive: true, force: true}));

/** Writes numbers to a file in little-endian order and returns its path. */
function file(name: string, numbers: Float32Array | Uint32Array): string {
	writeFileSync(join(folder, name), new Uint8Array(numbers.buffer));
	return join(folder, name);
}

test('cosines compare the two vectors of each text, whatever their norms', t => {
	const a = file('a', Float32Array.of(1, 0, 3, 4));
	// cos((1,0),(2,2)) = 1/√2; cos((3,4),(4,3)) = 24/25.
	const b = file('b', Float32Array.of(2, 2, 4, 3));
	const {least, mean} = cosines(a, b, 2);
	t.true(Math.abs(least - Math.SQRT1_2) < 1e-7);
	t.true(Math.abs(mean - (Math.SQRT1_2 + 0.96) / 2) < 1e-7);
	t.throws(() => cosines(a, file('c', Float32Array.of(1, 2)), 2), {message: /got 4 and 2 values/u});
});

test('texts with the same token ids are counted', t => {
	// For each text, the file has the number of tokens and then the token ids.
	const a = file('ids', Uint32Array.of(2, 7, 8, 0, 1, 9));
	t.is(sameTokens(a, file('others', Uint32Array.of(2, 7, 6, 0, 1, 9))), 2);
	t.is(sameTokens(a, file('fewer', Uint32Array.of(1, 7, 0))), 1);
	t.is(tokenCount(a), 3);
});

/** A record with three systems, one of which failed. passagekit tokenizes `wall` texts per second. */
function record(wall: number): EncodingRecord {
	const {machine, load} = vectorsRecord();
	const speed = (wall: number) => ({wall: figure(wall), cpu: figure(wall)});
	const texts = {texts: 'passages', sample: 10} as const;
	return {
		definition: {
			name: 'encoding',
			about: 'texts per second',
			model: 'a model',
			maxTokens: 256,
			tasks: {tokenise: texts, one: texts, batch: texts},
			rounds: 3,
			reference: 'onnxruntime',
			systems: [
				{name: 'from Node', system: 'passagekit-node'},
				{name: 'onnxruntime', system: 'onnxruntime'},
				{name: 'another', system: 'another'},
			],
		},
		data: {},
		machine,
		load,
		results: [
			{
				name: 'from Node',
				version: '1',
				peakBytes: 5e6,
				speed: {
					'tokenising passages': {...speed(wall), wallRatio: figure(wall / 1000), cpuRatio: figure(wall / 1000), sameTokens: 9},
					'encoding passages together': {...speed(20), cosines: {least: 0.987, mean: 0.99}},
				},
			},
			{name: 'onnxruntime', version: '2', speed: {'tokenising passages': speed(1000), 'encoding passages together': speed(10)}},
			{name: 'another', failed: 'not set up'},
		],
	};
}

test('a page has tables and bar charts of encoding speed, and says which system failed', t => {
	const html = reportHtml([described(record(9000))]);
	for (const words of [
		'tokenising passages',
		'0.9870',
		'not measured: not set up',
		'5.0',
		'Texts per second, tokenising passages, by wall time',
	]) {
		t.true(html.includes(words), words);
	}
	// A chart has tasks where other benchmarks have values of k, but the page must not label a task `k = …`.
	t.false(html.includes('k = tokenising'));
	const [bars] = described(record(9000)).charts;
	t.is(bars!.kind, 'bars');
	t.deepEqual(bars!.ks, ['tokenising passages', 'encoding questions one at a time', 'encoding passages together']);
});

test('two records of encoding are compared by task; comparing records of different kinds is an error', t => {
	const {speeds} = compare(described(record(9000)), described(record(4500)));
	t.deepEqual(
		speeds.filter(({entry}) => entry === 'from Node').map(({k, wall}) => [k, wall.ratio]),
		[
			['tokenising passages', 2],
			['encoding passages together', 1],
		],
	);
	t.throws(() => compare(described(record(1)), described(vectorsRecord())), {message: /two records of one kind/u});
});
