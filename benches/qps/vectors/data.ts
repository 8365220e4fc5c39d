// The vectors of data.json as files in the cache: little-endian f32 rows without a header.
import {createHash} from 'node:crypto';
import {
	closeSync,
	existsSync,
	mkdirSync,
	openSync,
	readFileSync,
	readSync,
	renameSync,
	statSync,
	truncateSync,
	writeFileSync,
	writeSync,
} from 'node:fs';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {packageRoot} from '../../../ts/core/native/addon.ts';
import {OnnxEncoder} from '../../../ts/encoders/index.ts';
import {cache, here} from '../system.ts';
import {vectorsServer} from './system.ts';
import {questions, sentences} from './texts.ts';

export interface Data {
	readonly about: string;
	readonly dim: number;
	/** All that there are; a definition may take the first of them. */
	readonly rows: number;
	readonly queries: number;
	/** Texts through a model of the shared folder; what the lines of all texts hash to. */
	readonly encode?: {readonly model: string; readonly sha256: Readonly<Record<Part, string>>};
	/** Files of the shared folder. */
	readonly fvecs?: Readonly<Record<Part, string>>;
	readonly synthesize?: {readonly seed: number};
	/** Whether rows are kept as a flat index of passagekit: there is no room for them twice. */
	readonly flat?: boolean;
}

export interface Vectors {
	readonly rows: string;
	readonly queries: string;
}

type Part = 'rows' | 'queries';
type Say = (line: string) => void;

/** Texts encoded in one call, always from a multiple of it on: an int8 model's vectors depend a little on their batch. */
const BATCH = 4096;

const shared = process.env['PASSAGEKIT_SHARED'] ?? join(packageRoot, '..', 'shared');
const all: Readonly<Record<string, Data>> = JSON.parse(readFileSync(join(here, 'vectors', 'data.json'), 'utf8'));

export function dataOf(name: string): Data {
	const found = all[name];
	if (!found) {
		throw new Error(`expected vectors of data.json (${Object.keys(all).join(', ')}), got ${name}`);
	}
	return found;
}

/** Makes what is not there yet: at least the first `rows` vectors, and all queries. */
export async function prepareVectors(name: string, rows: number, say: Say): Promise<Vectors> {
	const data = dataOf(name);
	if (rows > data.rows) {
		throw new Error(`${name}: expected at most ${data.rows} rows, got ${rows}`);
	}
	const folder = join(cache, 'vectors', name);
	mkdirSync(folder, {recursive: true});
	const files = {rows: join(folder, data.flat ? `rows-${rows}.flat` : 'rows.f32'), queries: join(folder, 'queries.f32')};
	const missing = (part: Part, count: number): boolean => !existsSync(files[part]) || rowsIn(files[part], data.dim) < count;
	if (data.encode) {
		if (missing('queries', data.queries)) {
			await encode(name, 'queries', data.queries, files.queries, say);
		}
		if (missing('rows', rows)) {
			await encode(name, 'rows', Math.min(data.rows, Math.ceil(rows / BATCH) * BATCH), files.rows, say);
		}
	} else if (missing('rows', rows) || missing('queries', data.queries)) {
		say(`preparing ${name} …`);
		if (data.synthesize) {
			const made = {...files, count: rows, of: data.rows, asked: data.queries, dim: data.dim, seed: data.synthesize.seed};
			vectorsServer('synthesize', made);
		} else {
			for (const part of ['rows', 'queries'] as const) {
				writeFileSync(`${files[part]}.new`, fromFvecs(gunzipSync(readFileSync(join(shared, data.fvecs![part]))), data.dim));
				renameSync(`${files[part]}.new`, files[part]);
			}
		}
	}
	return files;
}

/** Of the first rows of a file: their number, and a digest of the first and last of them. */
export function fingerprint(file: string, rows: number, dim: number): string {
	const bytes = rows * dim * 4;
	const hash = createHash('sha256');
	const part = Buffer.alloc(Math.min(1 << 20, bytes));
	const from = openSync(file, 'r');
	for (const at of [0, bytes - part.length]) {
		readFully(from, part, at);
		hash.update(part);
	}
	closeSync(from);
	return `${rows} ${hash.digest('hex').slice(0, 16)}`;
}

/** Goes on where an encoding was interrupted. */
async function encode(name: string, part: Part, count: number, file: string, say: Say): Promise<void> {
	const {encode: how, dim} = dataOf(name);
	const texts = await textsOf(name, part, say);
	const encoder = await OnnxEncoder.load(join(shared, how!.model));
	const done = Math.floor(rowsIn(file, dim) / BATCH) * BATCH;
	if (existsSync(file)) {
		truncateSync(file, done * dim * 4);
	}
	const to = openSync(file, 'a');
	const began = performance.now();
	for (let from = done; from < count; from += BATCH) {
		const {data} = await encoder.encode(texts.slice(from, Math.min(count, from + BATCH)));
		writeSync(to, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
		const rate = (Math.min(count, from + BATCH) - done) / ((performance.now() - began) / 1000);
		say(`encoding ${name}: ${Math.min(count, from + BATCH)} of ${count} ${part}, ${Math.round(rate)} a second …`);
	}
	closeSync(to);
}

/** The texts of vectors, kept one a line. Fails if they are others than the record's. */
async function textsOf(name: string, part: Part, say: Say): Promise<readonly string[]> {
	const file = join(cache, 'vectors', name, `${part}.txt`);
	if (!existsSync(file)) {
		say(`gathering the texts of ${name} …`);
		const texts = part === 'rows' ? await sentences(shared) : await questions(shared);
		writeFileSync(`${file}.new`, `${texts.join('\n')}\n`);
		renameSync(`${file}.new`, file);
	}
	const lines = readFileSync(file);
	const got = createHash('sha256').update(lines).digest('hex');
	const expected = dataOf(name).encode!.sha256[part];
	if (got !== expected) {
		throw new Error(`${name}: expected ${part} of SHA-256 ${expected}, got ${got}: the shared data are others`);
	}
	return lines.toString('utf8').trimEnd().split('\n');
}

const rowsIn = (file: string, dim: number): number => (existsSync(file) ? Math.floor(statSync(file).size / (4 * dim)) : 0);

function readFully(from: number, into: Buffer, position: number): void {
	for (let at = 0; at < into.length; ) {
		const read = readSync(from, into, at, into.length - at, position + at);
		if (read === 0) {
			throw new Error(`expected ${position + into.length} bytes, got ${position + at}`);
		}
		at += read;
	}
}

/** Without the dimension that stands before each row. */
function fromFvecs(bytes: Buffer, dim: number): Buffer {
	const stride = 4 * (dim + 1);
	const rows: Buffer[] = [];
	for (let at = 0; at < bytes.length; at += stride) {
		const got = bytes.readInt32LE(at);
		if (got !== dim) {
			throw new Error(`expected rows of ${dim} values, got ${got} at byte ${at}`);
		}
		rows.push(bytes.subarray(at + 4, at + stride));
	}
	return Buffer.concat(rows);
}
