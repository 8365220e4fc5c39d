// Tests the size limits of documents and passages, and reading from FIFOs.
import {execFileSync, spawn} from 'node:child_process';
import {createWriteStream} from 'node:fs';
import {mkdtemp, open, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {pipeline} from 'node:stream/promises';
import {createGzip, gzipSync} from 'node:zlib';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {
	Bm25Index,
	Bm25Writer,
	FlatIndex,
	PassageStore,
	RetrievalError,
	buildCollection,
	readPassages,
	readQrels,
	readQuestions,
	readTrecRun,
} from '../../ts/index.ts';
import {readModelJson} from '../../ts/onnx/model-files.ts';

/** Makes a temporary folder that is removed after the test. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-limits-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Creates a FIFO in a new temporary folder and returns its path. */
async function createFifo(t: ExecutionContext, name = 'fifo'): Promise<string> {
	const path = join(await temporaryFolder(t), name);
	execFileSync('mkfifo', [path]);
	return path;
}

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
	const list: T[] = [];
	for await (const item of items) {
		list.push(item);
	}
	return list;
}

/** Writes gzipped JSON lines with three passages. The text of the second passage has at least `bytes` bytes before compression. */
async function writeGzipBomb(t: ExecutionContext, bytes: number): Promise<string> {
	const path = join(await temporaryFolder(t), 'bomb.jsonl.gz');
	const chunk = Buffer.alloc(1 << 20, 'word ');
	function* content(): Generator<Buffer> {
		yield Buffer.from('{"_id":"1","text":"a"}\n{"_id":"2","text":"');
		for (let written = 0; written < bytes; written += chunk.length) {
			yield chunk;
		}
		yield Buffer.from('"}\n{"_id":"3","text":"c"}\n');
	}
	await pipeline(content, createGzip(), createWriteStream(path));
	return path;
}

/** Declares a test that is skipped on Windows. */
const onUnix = process.platform === 'win32' ? test.skip : test;

test('a document that exceeds the size limit after decompression is refused with its line number, or skipped', async t => {
	const path = await writeGzipBomb(t, 100 << 20);
	const store = join(await temporaryFolder(t), 'store');
	const message = `${path}:2: expected a document of at most 64 MiB, got a longer one; raise maxDocumentBytes if it is valid`;
	await t.throwsAsync(PassageStore.ingest(path, store), {instanceOf: RetrievalError, code: 'ERR_FORMAT', message});
	t.deepEqual(await PassageStore.ingest(path, store, {skipBadLines: true}), {passages: 2, skipped: 1});
	await t.throwsAsync(toArray(readPassages(path)), {code: 'ERR_FORMAT', message});
	await t.throwsAsync(buildCollection(path, join(await temporaryFolder(t), 'index'), {encoder: false}), {code: 'ERR_FORMAT', message});
});

test('functions that read passages or questions enforce the limits that they are given, and refuse invalid limits', async t => {
	const path = join(await temporaryFolder(t), 'a.tsv');
	await writeFile(path, `1\ta\tt\n2\t${'word '.repeat(400)}\tt\n`);
	const longDocument = {code: 'ERR_FORMAT', message: /a\.tsv:2: expected a document of at most 1000 bytes/};
	const longPassage = {code: 'ERR_FORMAT', message: /a\.tsv:2: expected a passage of at most 1000 bytes, got "2" of 2002 bytes; split it/};
	const folder = await temporaryFolder(t);
	await using writer = await Bm25Writer.create(join(folder, 'bm25'));
	let buildCount = 0;
	for (const [limits, expected] of [
		[{maxDocumentBytes: 1000}, longDocument],
		[{maxPassageBytes: 1000}, longPassage],
	] as const) {
		await t.throwsAsync(toArray(readPassages(path, limits)), expected);
		await t.throwsAsync(PassageStore.ingest(path, join(folder, 'store'), limits), expected);
		await t.throwsAsync(writer.add(path, limits), expected);
		await writer.rollback();
		await t.throwsAsync(buildCollection(path, join(folder, `index${buildCount++}`), {encoder: false, ...limits}), expected);
	}
	// The first line becomes one passage, and the 400 words of the second line become four.
	t.is((await toArray(readPassages(path, {maxPassageBytes: 1000, split: {words: 100}}))).length, 5);
	await writeFile(path, `1\ta\n2\t${'word '.repeat(400)}\n`);
	await t.throwsAsync(toArray(readQuestions(path, {maxDocumentBytes: 1000})), longDocument);
	for (const invalid of [0, 1.5, 2 ** 30, '1']) {
		await t.throwsAsync(toArray(readPassages(path, {maxPassageBytes: invalid as number})), {
			code: 'ERR_ARGUMENT',
			message: /^maxPassageBytes: /,
		});
		await t.throwsAsync(toArray(readPassages(path, {maxDocumentBytes: invalid as number})), {
			code: 'ERR_ARGUMENT',
			message: /^maxDocumentBytes: /,
		});
	}
});

test('a passage from JavaScript that exceeds the limit by one UTF-8 byte is refused', async t => {
	const folder = await temporaryFolder(t);
	// The limit is 2²⁰ bytes for id, title and text together. The id has one byte.
	const long = {id: 'b', text: 'x'.repeat(2 ** 20)};
	const expected = {code: 'ERR_ARGUMENT', message: /^passage 1: expected at most 1048576 bytes, got at least 1048577 for "b"; split it/};
	const store = join(folder, 'store');
	await t.throwsAsync(PassageStore.write([{id: 'a', text: 'a'}, long], store), expected);
	await using writer = await Bm25Writer.create(join(folder, 'bm25'));
	await t.throwsAsync(writer.add([{id: 'a', text: 'a'}, long]), expected);
	await t.throwsAsync(writer.update([{id: 'a', text: 'a'}, long]), expected);
	await t.throwsAsync(buildCollection([{id: 'a', text: 'a'}, long], join(folder, 'index'), {encoder: false}), expected);
	await t.notThrowsAsync(PassageStore.write([{id: 'b', text: 'x'.repeat(2 ** 20 - 1)}], store));
	t.is(await writer.add([long], {maxPassageBytes: 2 ** 21}), 1);
	const twoByteFields = {id: 'é', title: 'é', text: 'é'};
	await t.notThrowsAsync(PassageStore.write([twoByteFields], store, {maxPassageBytes: 6}));
	await t.throwsAsync(PassageStore.write([twoByteFields], store, {maxPassageBytes: 5}), {
		message: /^passage 0: expected at most 5 bytes, got at least 6/,
	});
});

onUnix('passages, questions, runs and judgments can be streamed from a FIFO', async t => {
	const content = '{"_id":"1","text":"a b"}\n{"_id":"2","text":"c"}\n';
	/** Calls `read` with a FIFO and writes the bytes to it. */
	const readThroughFifo = async <T>(bytes: string | Buffer, read: (path: string) => Promise<T>): Promise<T> => {
		const path = await createFifo(t);
		const result = read(path);
		// `writeFile` waits until `read` has opened the FIFO.
		await writeFile(path, bytes);
		return result;
	};
	t.is((await readThroughFifo(content, async path => toArray(readPassages(path)))).length, 2);
	t.is((await readThroughFifo(gzipSync(content), async path => toArray(readPassages(path)))).length, 2);
	t.deepEqual(await readThroughFifo(content, async path => PassageStore.ingest(path, `${path}.store`)), {passages: 2, skipped: 0});
	t.is((await readThroughFifo(content, async path => toArray(readQuestions(path)))).length, 2);
	t.is((await readThroughFifo('1 Q0 a 1 2.5 t\n', readTrecRun)).get('1')?.[0]?.id, 'a');
	t.is((await readThroughFifo('1 0 a 2\n', readQrels)).get('1')?.get('a'), 2);
	const built = await readThroughFifo(content, async path => buildCollection(path, `${path}.index`, {encoder: false}));
	t.is(built.passages, 2);
});

onUnix('reading from a FIFO can be aborted, whether it has no writer or one that writes nothing', async t => {
	const path = await createFifo(t);
	const folder = await temporaryFolder(t);
	const reads: Array<(signal: AbortSignal) => Promise<unknown>> = [
		async signal => toArray(readPassages(path, {signal})),
		async signal => toArray(readQuestions(path, {signal})),
		async signal => readTrecRun(path, {signal}),
		async signal => readQrels(path, {signal}),
		async signal => PassageStore.ingest(path, join(folder, 'store'), {signal}),
		async signal => Bm25Index.build(join(folder, 'bm25'), path, {signal}),
		async signal => buildCollection(path, join(folder, 'index'), {signal, encoder: false}),
	];
	for (const hasWriter of [false, true]) {
		// This writer writes nothing. The mode `r+` opens the FIFO without waiting for a reader.
		const writer = hasWriter ? await open(path, 'r+') : undefined;
		for (const read of reads) {
			const controller = new AbortController();
			const reason = new Error('enough');
			setTimeout(() => controller.abort(reason), 100);
			// If the abort did not end the read, the read would never end, because nothing is written.
			t.is(await t.throwsAsync(read(controller.signal)), reason);
		}
		await writer?.close();
	}
});

onUnix('a FIFO in place of a vector file, a model file or a file in a folder of texts is refused', async t => {
	const path = await createFifo(t, 'vectors.npy');
	const notRegular = /expected a regular file, got a FIFO/;
	const index = new FlatIndex({dim: 2});
	await t.throwsAsync(index.addFile(path), {code: 'ERR_IO', message: notRegular});
	await t.throwsAsync(Bm25Writer.create(join(await temporaryFolder(t), 'bm25'), {analyzer: {type: 'wordpiece', tokenizer: path}}), {
		code: 'ERR_IO',
		message: notRegular,
	});
	const config = await createFifo(t, 'config.json');
	await t.throwsAsync(readModelJson(join(config, '..'), 'config.json'), {code: 'ERR_IO', message: /expected a regular file/});
	const texts = await createFifo(t, 'a.txt');
	await t.throwsAsync(toArray(readPassages(join(texts, '..'))), {
		code: 'ERR_FORMAT',
		message: /a\.txt: expected a regular file, got a FIFO/,
	});
});

onUnix('the command `passagekit index` reads standard input and process substitutions of the shell', async t => {
	const folder = await temporaryFolder(t);
	const bin = join(packageRoot, 'bin', 'passagekit.js');
	const script = `printf '1\\ta b\\tt\\n2\\tc\\tt\\n' | gzip > a.gz
		"$0" "$1" index <(zcat a.gz) -o one --no-encoder
		zcat a.gz | "$0" "$1" index /dev/stdin -o two --no-encoder`;
	const child = spawn('bash', ['-ec', script, process.execPath, bin], {cwd: folder, stdio: ['ignore', 'pipe', 'inherit']});
	let output = '';
	for await (const chunk of child.stdout) {
		output += String(chunk);
	}
	t.is(output, '2 passages indexed in one\n2 passages indexed in two\n');
});
