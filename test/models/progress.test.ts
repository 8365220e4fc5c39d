// Tests the progress that downloads report.
import {existsSync} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import test from 'ava';
import type {Progress} from '../../ts/core/types.ts';
import {downloadModel} from '../../ts/models/hub.ts';
import {GRAPH, disconnectAfter, partialFile, setUp, untilPartialFileHas} from './fake-hub.ts';

test('progress counts the bytes of all files, never decreases, and ends at the total', async t => {
	const setup = await setUp(t);
	setup.hub.supportsRanges = false; // so that the download of the graph restarts
	setup.hub.graphResponses.push(
		disconnectAfter(80_000, async () => untilPartialFileHas(setup, 80_000)),
		async (response, body) => {
			for (let from = 0; from < body.length; from += 20_000) {
				response.write(body.subarray(from, from + 20_000));
				await sleep(30);
			}
			response.end();
		},
	);
	const reports: Progress[] = [];

	await downloadModel('owner/name', {...setup.options, onProgress: progress => reports.push(progress)});

	const total = 19 + 16 + 200_000; // bytes of tokenizer.json, config.json and the graph
	t.true(reports.length > 2);
	t.true(reports.every(progress => progress.total === total));
	t.deepEqual(
		reports.map(({done}) => done),
		reports.map(({done}) => done).sort((a, b) => a - b),
	);
	t.deepEqual(reports.at(-1), {done: total, total});
	t.is(reports.filter(({done}) => done === total).length, 1);
});

test('bytes in the cache count as done, for a partial and for a complete download', async t => {
	const setup = await setUp(t);
	await mkdir(join(setup.folder, 'onnx'), {recursive: true});
	await writeFile(partialFile(setup), GRAPH.subarray(0, 150_000));
	const reports: Progress[] = [];
	const onProgress = (progress: Progress): void => {
		reports.push(progress);
	};
	await downloadModel('owner/name', {...setup.options, onProgress});
	t.is(setup.hub.sentBytes('onnx/model.onnx'), 50_000);
	t.deepEqual(reports.at(-1), {done: 200_035, total: 200_035});

	reports.length = 0;
	await downloadModel('owner/name', {...setup.options, onProgress});
	t.deepEqual(reports, [{done: 200_035, total: 200_035}]);
});

test('an error that onProgress throws ends the download without another attempt', async t => {
	const {hub, folder, options} = await setUp(t);
	const failure = new Error('thrown by onProgress');

	t.is(
		await t.throwsAsync(
			downloadModel('owner/name', {
				...options,
				onProgress() {
					throw failure;
				},
			}),
		),
		failure,
	);

	t.true(hub.gets().length <= 1);
	t.false(existsSync(join(folder, '.lock')));
});
