// Prepares the data sets of data.json as files in the folder `.cache/`: little-endian f32 rows without a header. The
// vectors are encoded from texts, read from fvecs files (the format of the Texmex collections), or synthesized.
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
import {OnnxEncoder} from '../../../../ts/encoders/index.ts';
import {cache, qpsFolder, shared} from '../../harness/folders.ts';
import {vectorsServer} from '../system.ts';
import {questions, sentences} from './texts.ts';

/** A data set. It has one of the fields `encode`, `fvecs` and `synthesize`, which say how its vectors are made. */
export interface Data {
	readonly about: string;
	readonly dim: number;
	/** The total number of rows. A benchmark definition may use only the first ones. */
	readonly rows: number;
	/** The total number of queries. */
	readonly queries: number;
	/**
	The folder of the model that encodes texts as vectors, relative to the shared folder (../../harness/folders.ts), and
	the hashes of the files with all texts.
	*/
	readonly encode?: {readonly model: string; readonly sha256: Readonly<Record<Part, string>>};
	/** Gzipped fvecs files, relative to the shared folder. */
	readonly fvecs?: Readonly<Record<Part, string>>;
	/** The seed of synthetic vectors. */
	readonly synthesize?: {readonly seed: number};
	/** Whether the rows are stored only as a flat index of passagekit, because a file of rows would not fit on the disk as well. */
	readonly flat?: boolean;
}

/** The files of a data set. */
export interface VectorFiles {
	/** A file of rows or, for a data set with `flat`, a flat index. */
	readonly rows: string;
	readonly queries: string;
}

type Part = 'rows' | 'queries';
type Say = (line: string) => void;

/**
The number of texts per call of the encoder. Each call starts at a multiple of this number, even after an interruption,
because the vectors from an int8 model depend slightly on the other texts in the call.
*/
const BATCH = 4096;

const dataSets: Readonly<Record<string, Data>> = JSON.parse(readFileSync(join(qpsFolder, 'vectors', 'data', 'data.json'), 'utf8'));

/** Returns the data set with this name in data.json. */
export function dataOf(name: string): Data {
	const found = dataSets[name];
	if (!found) {
		throw new Error(`expected a data set of data.json (${Object.keys(dataSets).join(', ')}), got ${name}`);
	}
	return found;
}

/** Makes the files of a data set, unless they exist. The files have at least the first `rows` rows, and all queries. */
export async function prepareVectors(name: string, rows: number, say: Say): Promise<VectorFiles> {
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
			// Writes the first `count` rows of a data set of `of` rows, and `asked` queries.
			vectorsServer('synthesize', {...files, count: rows, of: data.rows, asked: data.queries, dim: data.dim, seed: data.synthesize.seed});
		} else {
			for (const part of ['rows', 'queries'] as const) {
				writeFileSync(`${files[part]}.new`, fromFvecs(gunzipSync(readFileSync(join(shared, data.fvecs![part]))), data.dim));
				renameSync(`${files[part]}.new`, files[part]);
			}
		}
	}
	return files;
}

/** Returns an id of the first `rows` rows of a file: their number, and a hash of the first and the last megabyte of these rows. */
export function fingerprint(file: string, rows: number, dim: number): string {
	const bytes = rows * dim * 4;
	const hash = createHash('sha256');
	const part = Buffer.alloc(Math.min(1 << 20, bytes));
	const descriptor = openSync(file, 'r');
	for (const position of [0, bytes - part.length]) {
		readFully(descriptor, part, position);
		hash.update(part);
	}
	closeSync(descriptor);
	return `${rows} ${hash.digest('hex').slice(0, 16)}`;
}

/** Encodes the first `count` texts, and writes the vectors to a file. Continues where an earlier run was interrupted. */
async function encode(name: string, part: Part, count: number, file: string, say: Say): Promise<void> {
	const {encode: encoding, dim} = dataOf(name);
	const texts = await textsOf(name, part, say);
	const encoder = await OnnxEncoder.load(join(shared, encoding!.model));
	// A batch that was interrupted is encoded again.
	const done = Math.floor(rowsIn(file, dim) / BATCH) * BATCH;
	if (existsSync(file)) {
		truncateSync(file, done * dim * 4);
	}
	const output = openSync(file, 'a');
	const start = performance.now();
	for (let from = done; from < count; from += BATCH) {
		const {data} = await encoder.encode(texts.slice(from, Math.min(count, from + BATCH)));
		writeSync(output, new Uint8Array(data.buffer, data.byteOffset, data.byteLength));
		const rate = (Math.min(count, from + BATCH) - done) / ((performance.now() - start) / 1000);
		say(`encoding ${name}: ${Math.min(count, from + BATCH)} of ${count} ${part}, ${Math.round(rate)} per second …`);
	}
	closeSync(output);
}

/** Returns the texts of a data set, and stores them in a file, one per line. Fails if the hash of this file is not the one in data.json. */
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
		throw new Error(`${name}: expected ${part} with the SHA-256 ${expected}, got ${got}: the shared data has changed`);
	}
	return lines.toString('utf8').trimEnd().split('\n');
}

/** Returns the number of rows in a file. */
const rowsIn = (file: string, dim: number): number => (existsSync(file) ? Math.floor(statSync(file).size / (4 * dim)) : 0);

/** Fills a buffer from a position of a file. Fails if the file is too short. */
function readFully(descriptor: number, buffer: Buffer, position: number): void {
	for (let at = 0; at < buffer.length; ) {
		const read = readSync(descriptor, buffer, at, buffer.length - at, position + at);
		if (read === 0) {
			throw new Error(`expected ${position + buffer.length} bytes, got ${position + at}`);
		}
		at += read;
	}
}

/** Removes what the fvecs format has in front of each row: the dimension as an i32. Returns only the rows. */
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
