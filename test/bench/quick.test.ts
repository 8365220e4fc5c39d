// Tests the quick benchmark, which `passagekit bench` runs.
import test from 'ava';
import {quickBench} from '../../ts/bench/index.ts';

test('every operation is measured, and the hits of every search are checked', async t => {
	const stages = new Set<string>();
	const sizes = {passages: 300, vectors: 1000, dim: 32, rounds: 2, milliseconds: 1, encoder: 'tiny-encoder'};
	const {groups, left, settings, machine, noise} = await quickBench({...sizes, onProgress: ({stage}) => stages.add(stage)});
	t.deepEqual(
		groups.map(({name}) => name),
		['BM25', 'Exact', 'Exact, int8Rescored', 'HNSW', 'Encoding'],
	);
	t.deepEqual(left, []);
	t.like(settings, {passages: 300, k: 10, recall: 0.95});
	for (const {name, speeds, checks, built} of groups) {
		t.true(
			checks.every(({holds}) => holds),
			JSON.stringify(checks),
		);
		t.is(checks.length, name === 'Encoding' ? 0 : 1);
		t.true(name === 'Encoding' || (built!.seconds > 0 && built!.bytes > 10_000));
		for (const {rate, latency} of speeds) {
			t.true(rate.least > 0 && rate.least <= rate.median && rate.median <= rate.most);
			t.true(latency === undefined || (latency.p50 <= latency.p99 && latency.p99 <= latency.p999));
		}
		t.is(speeds.filter(({latency}) => latency !== undefined).length, 1, 'only single queries have latencies');
	}
	t.true(machine.cores > 0 && machine.kernels.length > 0 && Array.isArray(noise));
	t.true(stages.has('measure'));
});

test('if the encoder cannot be loaded, the other operations are measured and the reason is reported', async t => {
	const {groups, left} = await quickBench({passages: 50, vectors: 50, dim: 8, rounds: 1, milliseconds: 1, encoder: '/no/such/model'});
	t.is(groups.length, 4);
	t.is(left.length, 1);
	t.regex(left[0]!.why, /no such|no\/such/iu);
});

test('the benchmark can be canceled, and invalid arguments are refused', async t => {
	const controller = new AbortController();
	const running = quickBench({
		passages: 50,
		vectors: 50,
		dim: 8,
		encoder: false,
		rounds: 1000,
		signal: controller.signal,
		onProgress({stage}) {
			if (stage === 'measure') {
				controller.abort();
			}
		},
	});
	await t.throwsAsync(running, {any: true, name: 'AbortError'});
	await t.throwsAsync(quickBench({rounds: 0}), {message: 'rounds: expected a whole number of at least 1, got 0'});
	await t.throwsAsync(quickBench({recall: 2}), {message: 'recall: expected a number above 0, up to 1, got 2'});
});
