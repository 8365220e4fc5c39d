// Tests how BM25 indexes are built from files, passage stores and iterables, and what happens if adding passages fails halfway.
import {mkdtemp, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {gzipSync} from 'node:zlib';
import test, {type ExecutionContext} from 'ava';
import {Bm25Index, Bm25Writer, type Passage, PassageStore, RetrievalError} from '../../ts/index.ts';
import {isAborted, succeedsOnce} from '../support/event-loop.ts';

/** Creates a folder that is deleted after the test. */
async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-bm25-writer-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Generates passages of 30 words. The content of a passage depends only on its number. */
function* passages(count: number, from = 0): Generator<Passage> {
	for (let number = from; number < from + count; number++) {
		const words = Array.from({length: 30}, (_, i) => `w${(number * 31 + i * i * 7) % 997}`);
		yield {id: `p${number}`, text: words.join(' '), ...(number % 3 === 0 ? {title: `Title ${number % 11}`} : {})};
	}
}

/** Returns the content of a file in the DPR format: id, text and title in columns separated by tabs. */
function tsv(rows: Iterable<Passage>): string {
	return `id\ttext\ttitle\n${[...rows].map(({id, text, title = ''}) => `${id}\t${text}\t${title}\n`).join('')}`;
}

/** Returns the hits of four queries, to compare indexes. */
async function rankings(index: Bm25Index): Promise<unknown[]> {
	return Promise.all(['w1 w2 w500', 'title', 'w996 w0', 'absent'].map(async query => index.search(query, {k: 1000})));
}

test('a file, a gzipped file, a store and iterables all give the same index', async t => {
	const path = await folder(t);
	const rows = [...passages(2000)];
	await writeFile(join(path, 'rows.tsv'), tsv(rows));
	await writeFile(join(path, 'rows.bin'), gzipSync(tsv(rows)));
	await writeFile(join(path, 'rows.jsonl'), rows.map(({id, ...rest}) => JSON.stringify({_id: id, ...rest})).join('\n'));
	await PassageStore.write(rows, join(path, 'rows.pkstore'));
	const expected = await rankings(await Bm25Index.build(join(path, 'array'), rows));
	t.true((expected[0] as unknown[]).length > 100);
	await using store = await PassageStore.open(join(path, 'rows.pkstore'));
	async function* generated(): AsyncGenerator<Passage> {
		yield* rows;
	}
	const sources = {
		tsv: join(path, 'rows.tsv'),
		gzipped: join(path, 'rows.bin'),
		jsonl: join(path, 'rows.jsonl'),
		store,
		generated: generated(),
	};
	for (const [name, source] of Object.entries(sources)) {
		const index = await Bm25Index.build(join(path, name), source);
		t.is(index.size, 2000, name);
		t.deepEqual(await rankings(index), expected, name);
	}
});

test('progress counts bytes for a file and passages for a store', async t => {
	const path = await folder(t);
	const text = tsv(passages(1500));
	await writeFile(join(path, 'rows.tsv'), text);
	await PassageStore.write(passages(1500), join(path, 'rows.pkstore'));
	await using store = await PassageStore.open(join(path, 'rows.pkstore'));
	const ends: Array<{done: number; total: number}> = [];
	for (const source of [join(path, 'rows.tsv'), store]) {
		let last = {done: 0, total: 0};
		await Bm25Index.build(join(path, `index${ends.length}`), source, {
			onProgress({done, total}) {
				t.true(done >= last.done && done <= total);
				last = {done, total};
			},
		});
		ends.push(last);
	}
	t.deepEqual(ends, [
		{done: text.length, total: text.length},
		{done: 1500, total: 1500},
	]);
});

test('bad lines are refused with their line number, or skipped and counted', async t => {
	const path = await folder(t);
	const file = join(path, 'rows.tsv');
	await writeFile(file, `${tsv(passages(1000))}no tab here\n${tsv(passages(5, 1000)).split('\n').slice(1).join('\n')}`);
	const error = await t.throwsAsync(Bm25Index.build(join(path, 'index'), file), {instanceOf: RetrievalError, code: 'ERR_FORMAT'});
	// The bad line follows the header line and 1,000 passages.
	t.regex(error!.message, /rows\.tsv.*1002/u);
	let skipped = 0;
	const index = await Bm25Index.build(join(path, 'index'), file, {
		skipBadLines: true,
		onSkipped(lines) {
			skipped = lines;
		},
	});
	t.deepEqual([index.size, skipped], [1005, 1]);
});

test('changes that fail halfway are never committed, whether because of a bad line, a duplicate id, an exception or an abort', async t => {
	const path = await folder(t);
	await writeFile(join(path, 'bad.tsv'), `${tsv(passages(600, 100))}no tab here\n`);
	await writeFile(join(path, 'twice.tsv'), tsv([...passages(600, 100), {id: 'p0', text: 'again'}]));
	const controller = new AbortController();
	const reason = new Error('enough');
	/** Generates passages, and calls `interrupt` halfway. */
	function* interrupted(interrupt: () => void): Generator<Passage> {
		yield* passages(600, 100);
		interrupt();
		yield* passages(600, 700);
	}
	const writer = await Bm25Writer.create(join(path, 'index'));
	await writer.add(passages(1));
	await writer.commit();
	const failures: Array<[fails: () => Promise<number>, expected: object]> = [
		[async () => writer.add(join(path, 'bad.tsv')), {code: 'ERR_FORMAT'}],
		[async () => writer.add(join(path, 'twice.tsv')), {code: 'ERR_DUPLICATE_ID'}],
		[async () => writer.add([...passages(10, 100), {id: 'p0', text: 'again'}]), {code: 'ERR_DUPLICATE_ID'}],
		[
			async () =>
				writer.update(
					interrupted(() => {
						throw reason;
					}),
				),
			{is: reason},
		],
		[
			async () =>
				writer.add(
					interrupted(() => controller.abort(reason)),
					{signal: controller.signal},
				),
			{is: reason},
		],
	];
	for (const [fails, expected] of failures) {
		await t.throwsAsync(fails, expected);
		for (const refused of [
			async () => writer.commit(),
			async () => writer.merge(),
			async () => writer.add(passages(1, 9999)),
			async () => writer.update(passages(1)),
			async () => writer.delete(['p0']),
		]) {
			await t.throwsAsync(refused, {instanceOf: RetrievalError, code: 'ERR_INTERRUPTED'});
		}
		await writer.rollback();
	}
	await writer.add(passages(5, 1));
	await writer.commit();
	await writer.close();
	const index = await Bm25Index.open(join(path, 'index'));
	t.is(index.size, 6);
});

test('if add fails before it has added a passage, the writer can still commit', async t => {
	const path = await folder(t);
	const writer = await Bm25Writer.create(path);
	await writer.add(passages(3));
	await t.throwsAsync(writer.add(passages(1)), {code: 'ERR_DUPLICATE_ID'});
	await t.throwsAsync(writer.add(join(path, 'none.tsv')), {code: 'ERR_IO'});
	await t.throwsAsync(writer.add([{id: 7} as unknown as Passage]), {code: 'ERR_ARGUMENT'});
	await writer.add(passages(1, 3));
	await writer.commit();
	await writer.close();
	t.is((await Bm25Index.open(path)).size, 4);
});

test('an aborted build from a file stops early, keeps the existing index, and can be started again', async t => {
	const path = await folder(t);
	const file = join(path, 'rows.tsv');
	await writeFile(file, tsv(passages(60_000)));
	/** Starts a build and aborts it at its first progress. Returns whether it stopped before it had read the whole file. */
	const stopsEarly = async (output: string, overwrite: boolean): Promise<boolean> => {
		const controller = new AbortController();
		const reason = new Error('enough');
		let last = {done: 0, total: 0};
		const building = Bm25Index.build(output, file, {
			overwrite,
			signal: controller.signal,
			onProgress(progress) {
				last = progress;
				if (progress.done > 0) {
					controller.abort(reason);
				}
			},
		});
		return (await isAborted(building, reason)) && last.done > 0 && last.done < last.total;
	};
	let output = '';
	let attempts = 0;
	t.true(
		await succeedsOnce(async () => {
			output = join(path, `new ${attempts++}`);
			return stopsEarly(output, false);
		}),
	);
	// The aborted build left an index without passages, which the next build may replace even without `overwrite`.
	t.is((await Bm25Index.open(output)).size, 0);
	t.is((await Bm25Index.build(output, passages(7))).size, 7);
	t.true(
		await succeedsOnce(async () => {
			const isStopped = await stopsEarly(output, true);
			if (!isStopped) {
				await Bm25Index.build(output, passages(7), {overwrite: true});
			}
			return isStopped;
		}),
	);
	t.is((await Bm25Index.open(output)).size, 7);
});

test('an iterable is read only a little ahead of indexing: at most 256 short passages, or 3 long ones', async t => {
	const path = await folder(t);
	for (const [name, count, words, maxWaiting] of [
		['many', 3000, 10, 256],
		['long', 40, 50_000, 3],
	] as const) {
		let yielded = 0;
		let added = 0;
		/** Maximum number of passages that were yielded and not yet added. */
		let waiting = 0;
		async function* source(): AsyncGenerator<Passage> {
			for (let at = 0; at < count; at++) {
				yielded++;
				waiting = Math.max(waiting, yielded - added);
				yield {id: `${at}`, text: `${'w1 '.repeat(words)}${at}`};
			}
		}
		const index = await Bm25Index.build(join(path, name), source(), {
			onProgress({done}) {
				added = done;
			},
		});
		t.deepEqual([index.size, added], [count, count]);
		t.true(waiting > 0 && waiting <= maxWaiting, `${name}: ${waiting} waiting`);
	}
});

test('less memory and more threads do not change the hits', async t => {
	const path = await folder(t);
	const expected = await rankings(await Bm25Index.build(join(path, 'plain'), passages(30_000)));
	const writer = await Bm25Writer.create(join(path, 'little'), {memoryBytes: 30e6, threads: 2, mergeInBackground: false});
	await writer.add(passages(30_000));
	await writer.commit();
	const index = await Bm25Index.open(join(path, 'little'));
	t.deepEqual(await rankings(index), expected);
	await writer.merge();
	await writer.close();
	await index.reload();
	t.deepEqual(await rankings(index), expected);
});

test('memory and threads out of range, and invalid sources, are refused', async t => {
	const path = await folder(t);
	await t.throwsAsync(Bm25Writer.create(path, {memoryBytes: 1e6}), {
		code: 'ERR_ARGUMENT',
		message: 'memoryBytes: expected a whole number from 15000000 to 4000000000, got 1000000',
	});
	await t.throwsAsync(Bm25Writer.create(path, {threads: 9}), {code: 'ERR_ARGUMENT'});
	// Each thread needs 15 MB.
	await t.throwsAsync(Bm25Index.build(path, passages(1), {threads: 4, memoryBytes: 59e6}), {code: 'ERR_ARGUMENT'});
	await t.throwsAsync(Bm25Index.build(path, 7 as unknown as string), {
		code: 'ERR_ARGUMENT',
		message: 'source: expected a path, a passage store or an iterable of passages, got number',
	});
});
