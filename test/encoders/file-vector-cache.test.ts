// Tests `FileVectorCache`, a cache of vectors in a file: truncated and damaged files, killed processes, locks and invalid arguments.
import {spawn} from 'node:child_process';
import {createHash} from 'node:crypto';
import {once} from 'node:events';
import {existsSync} from 'node:fs';
import {mkdtemp, readFile, rm, stat, truncate, writeFile} from 'node:fs/promises';
import {hostname, tmpdir} from 'node:os';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {setTimeout as sleep} from 'node:timers/promises';
import test, {type ExecutionContext} from 'ava';
import * as fc from 'fast-check';
import {FileVectorCache, RetrievalError, createEncoder} from '../../ts/index.ts';
import {DIM, EmbeddingServer, expected, hang, vectorOf} from './embedding-server.ts';

const HEADER_BYTES = 16;
/** Size of a record: a SHA-256 key, a vector and a CRC-32 checksum. */
const RECORD_BYTES = 32 + 4 * DIM + 4;

const base = {dim: DIM, identity: 'test', minDelayMs: 1} as const;
const keyOf = (text: string): string => createHash('sha256').update(text).digest('hex');
const entryOf = (text: string): [string, Float32Array] => [keyOf(text), Float32Array.from(vectorOf(text))];
const texts = Array.from({length: 20}, (_, i) => `text ${i}`);

/** Returns the path of a cache file that does not exist yet, in a new folder. */
async function newPath(t: ExecutionContext): Promise<string> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-vector-cache-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	return join(folder, 'vectors.cache');
}

/** Writes a cache with the vectors of all `texts` and returns its path. */
async function written(t: ExecutionContext): Promise<string> {
	const path = await newPath(t);
	await using cache = await FileVectorCache.open(path, {dim: DIM});
	await cache.set(texts.map(entryOf));
	return path;
}

/** Opens a cache and returns the texts whose vectors it contains. Fails if a vector is wrong. */
async function readable(t: ExecutionContext, path: string): Promise<string[]> {
	await using cache = await FileVectorCache.open(path, {dim: DIM});
	const vectors = await cache.get(texts.map(keyOf));
	const found = texts.filter((_, i) => vectors[i] !== undefined);
	t.deepEqual(
		vectors.filter(vector => vector !== undefined),
		found.map(text => Float32Array.from(vectorOf(text))),
	);
	t.is(cache.size, found.length);
	return found;
}

test('vectors are kept in the file, and an unchanged text is never encoded twice', async t => {
	const server = await EmbeddingServer.start(t);
	const path = await newPath(t);
	// The number of texts that the server has received after each round: the second round sends none, and the third sends two new ones.
	for (const sent of [20, 20, 22]) {
		await using cache = await FileVectorCache.open(path, {dim: DIM});
		const encoder = createEncoder(server.embed, {...base, batchSize: 3, cache});
		const inputs = sent === 22 ? ['new', ...texts.toReversed(), 'newer', 'new'] : texts;
		t.deepEqual((await encoder.encode(inputs)).data, expected(inputs));
		t.is(server.texts.length, sent);
		t.is(cache.size, sent);
		t.is(cache.damagedBytes, 0);
	}
	t.is((await stat(path)).size, HEADER_BYTES + 22 * RECORD_BYTES);
	t.false(existsSync(`${path}.lock`));
});

test('encoding that was aborted resumes after the vectors that had arrived', async t => {
	const server = await EmbeddingServer.start(t);
	const path = await newPath(t);
	server.responses.push(server.respond, server.respond, hang);
	{
		await using cache = await FileVectorCache.open(path, {dim: DIM});
		const encoder = createEncoder(server.embed, {...base, batchSize: 4, concurrency: 1, cache});
		const controller = new AbortController();
		const call = t.throwsAsync(encoder.encode(texts, {signal: controller.signal}), {message: 'enough'});
		while (server.requests.length < 3) {
			await sleep(2);
		}
		controller.abort(new Error('enough'));
		await call;
		t.is(cache.size, 8);
	}
	server.requests.length = 0;
	await using cache = await FileVectorCache.open(path, {dim: DIM});
	t.deepEqual((await createEncoder(server.embed, {...base, cache}).encode(texts)).data, expected(texts));
	t.deepEqual(server.texts, texts.slice(8));
});

test('a file that is truncated anywhere loses only the vectors after that point, and can be appended to', async t => {
	const path = await written(t);
	const bytes = await readFile(path);
	t.is(bytes.length, HEADER_BYTES + 20 * RECORD_BYTES);
	for (let length = 0; length <= bytes.length; length += length < 150 ? 1 : 13) {
		await writeFile(path, bytes.subarray(0, length));
		const complete = Math.max(0, Math.floor((length - HEADER_BYTES) / RECORD_BYTES));
		{
			await using cache = await FileVectorCache.open(path, {dim: DIM});
			t.is(cache.damagedBytes, length < HEADER_BYTES ? 0 : (length - HEADER_BYTES) % RECORD_BYTES);
			t.is(cache.size, complete);
			await cache.set([entryOf('text 19')]);
		}
		t.deepEqual(await readable(t, path), [...new Set([...texts.slice(0, complete), 'text 19'])]);
	}
});

test('a damaged record is skipped and the others are kept', async t => {
	const path = await written(t);
	const bytes = await readFile(path);
	await fc.assert(
		fc.asyncProperty(fc.integer({min: HEADER_BYTES, max: bytes.length - 1}), fc.integer({min: 1, max: 255}), async (position, change) => {
			const damaged = Uint8Array.from(bytes);
			damaged[position]! ^= change;
			await writeFile(path, damaged);
			const record = Math.floor((position - HEADER_BYTES) / RECORD_BYTES);
			t.deepEqual(await readable(t, path), texts.toSpliced(record, 1));
		}),
		{numRuns: 30},
	);
	await writeFile(path, Buffer.concat([bytes, Buffer.alloc(RECORD_BYTES)]));
	await using cache = await FileVectorCache.open(path, {dim: DIM});
	t.is(cache.damagedBytes, RECORD_BYTES, 'zeros are not a valid record');
});

test('a vector that is damaged while the cache is open is treated as missing, and can be stored again', async t => {
	const path = await written(t);
	await using cache = await FileVectorCache.open(path, {dim: DIM});
	const bytes = await readFile(path);
	bytes[HEADER_BYTES + 2 * RECORD_BYTES + 40]! ^= 1;
	await writeFile(path, bytes);
	t.is((await cache.get([keyOf('text 2')]))[0], undefined);
	t.deepEqual((await cache.get([keyOf('text 3')]))[0], Float32Array.from(vectorOf('text 3')));
	await cache.set([entryOf('text 2')]);
	t.deepEqual((await cache.get([keyOf('text 2')]))[0], Float32Array.from(vectorOf('text 2')));
	await truncate(path, HEADER_BYTES + RECORD_BYTES + 10);
	t.deepEqual(
		(await cache.get(texts.slice(0, 3).map(keyOf))).map(vector => vector !== undefined),
		[true, false, false],
	);
});

test('a process that is killed at any moment leaves a file with all vectors of its completed writes', async t => {
	const path = await newPath(t);
	let total = 0;
	for (const ms of [0, 3, 7, 20]) {
		const script = join(import.meta.dirname, 'cache-writer.ts');
		const writer = spawn(process.execPath, ['--import', import.meta.resolve('tsx'), script, path], {stdio: ['ignore', 'pipe', 'inherit']});
		t.teardown(() => writer.kill('SIGKILL'));
		let reported = 0;
		const lines = createInterface({input: writer.stdout});
		lines.on('line', line => (reported = Number(line)));
		await once(lines, 'line');
		await sleep(ms);
		writer.kill('SIGKILL');
		await once(writer, 'close');

		t.true(existsSync(`${path}.lock`), 'the killed process left its lock file');
		await using cache = await FileVectorCache.open(path, {dim: DIM});
		t.true(reported > 0 && cache.size >= reported && cache.size >= total, `${cache.size} vectors, ${reported} reported`);
		total = cache.size;
		const all = Array.from({length: total}, (_, i) => `text ${i}`);
		const encoder = createEncoder(async () => [], {...base, cache});
		t.deepEqual((await encoder.encode(all.slice(0, reported))).data, expected(all.slice(0, reported)), 'all vectors come from the cache');
	}
});

test('a cache file cannot be opened while a cache in this process, or a lock file of another host, holds it', async t => {
	const path = await written(t);
	const first = await FileVectorCache.open(path, {dim: DIM});
	const error = await t.throwsAsync(FileVectorCache.open(path, {dim: DIM}), {instanceOf: RetrievalError, code: 'ERR_INDEX_LOCKED'});
	t.true(error.message.includes(`process ${process.pid}`), error.message);
	await first.close();
	await (await FileVectorCache.open(path, {dim: DIM})).close();

	await writeFile(`${path}.lock`, JSON.stringify({pid: 1, host: `not-${hostname()}`}));
	await t.throwsAsync(FileVectorCache.open(path, {dim: DIM}), {code: 'ERR_INDEX_LOCKED', message: /delete .*\.lock\.$/u});
	await writeFile(`${path}.lock`, 'no record');
	await t.throwsAsync(FileVectorCache.open(path, {dim: DIM}), {code: 'ERR_INDEX_LOCKED', message: /another process/u});
	await rm(`${path}.lock`);
	const opened = await Promise.allSettled(Array.from({length: 8}, async () => FileVectorCache.open(path, {dim: DIM})));
	const winners = opened.flatMap(result => (result.status === 'fulfilled' ? [result.value] : []));
	t.is(winners.length, 1);
	await winners[0]!.close();
});

test('files of another kind, dimension or version are refused and left unchanged', async t => {
	const path = await written(t);
	const refused = async (code: string, dim = DIM): Promise<void> => {
		const before = await readFile(path);
		await t.throwsAsync(FileVectorCache.open(path, {dim}), {instanceOf: RetrievalError, code});
		t.deepEqual(await readFile(path), before);
		t.false(existsSync(`${path}.lock`), 'a failed open releases the lock');
	};
	await refused('ERR_DIMENSION', 6);
	const bytes = await readFile(path);
	// The version of the format is at byte 8.
	bytes.writeUInt32LE(2, 8);
	await writeFile(path, bytes);
	await refused('ERR_INDEX_VERSION');
	for (const content of ['x', 'some text of a user', 'PKVECTOX']) {
		await writeFile(path, content);
		await refused('ERR_FORMAT');
	}
	await t.throwsAsync(FileVectorCache.open(tmpdir(), {dim: DIM}), {instanceOf: RetrievalError, code: 'ERR_IO'});
	await t.throwsAsync(FileVectorCache.open(join(path, 'below a file'), {dim: DIM}), {instanceOf: RetrievalError, code: 'ERR_IO'});
});

test('concurrent writes and reads do not interfere, and closing waits for them', async t => {
	const path = await newPath(t);
	const cache = await FileVectorCache.open(path, {dim: DIM});
	const writes = texts.map(async text => cache.set([entryOf(text), entryOf('shared')]));
	const reads = texts.map(async text => cache.get([keyOf(text)]));
	const closing = cache.close();
	await Promise.all([...writes, ...reads]);
	await closing;
	await cache.close();
	await using again = await FileVectorCache.open(path, {dim: DIM});
	t.is(again.size, 21);
	t.deepEqual(
		await again.get([...texts, 'shared'].map(keyOf)),
		[...texts, 'shared'].map(text => Float32Array.from(vectorOf(text))),
	);
});

test('invalid keys, vectors and options are refused, and a closed cache rejects with ERR_CLOSED', async t => {
	const path = await newPath(t);
	const cache = await FileVectorCache.open(path, {dim: DIM});
	const vector = new Float32Array(DIM);
	const refused = async (call: () => Promise<unknown>, message: RegExp, code = 'ERR_ARGUMENT'): Promise<void> => {
		await t.throwsAsync(call, {instanceOf: RetrievalError, code, message});
	};
	await refused(async () => cache.get(['key']), /^get: keys\[0\]: expected a SHA-256 hash of 64 hexadecimal digits, got "key"$/u);
	await refused(async () => cache.get([keyOf('a'), keyOf('a').toUpperCase()]), /^get: keys\[1\]: /u);
	await refused(async () => cache.set([['key', vector]]), /^set: entries\[0\]: key: /u);
	await refused(async () => cache.set([[keyOf('a'), new Float32Array(4)]]), /^set: entries\[0\]: vector: .*got 4/u, 'ERR_DIMENSION');
	await refused(async () => cache.set([[keyOf('a'), vector.fill(Number.NaN)]]), /expected finite numbers, got NaN$/u);
	await refused(async () => cache.set([5 as never]), /^set: entries\[0\]: expected \[key, vector\]/u);
	t.is(cache.size, 0);
	t.throws(() => createEncoder(async () => [], {...base, dim: 6, cache}), {code: 'ERR_DIMENSION'});
	await cache.close();
	await refused(async () => cache.get([keyOf('a')]), /^get: expected an open FileVectorCache/u, 'ERR_CLOSED');
	await refused(async () => cache.set([]), /^set: expected an open FileVectorCache/u, 'ERR_CLOSED');
	await refused(async () => FileVectorCache.open(path, {dim: 0}), /^dim: /u);
	await refused(async () => FileVectorCache.open(path, {} as never), /^dim: /u);
	await refused(async () => FileVectorCache.open(path, {dim: 5, dimension: 5} as never), /got "dimension"/u);
	await t.throwsAsync(FileVectorCache.open(path, {dim: DIM, signal: AbortSignal.abort(new Error('enough'))}), {message: 'enough'});
});
