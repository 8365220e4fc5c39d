/**
The file of a `FileVectorCache`: a header, followed by records of equal size. Records are appended and never changed.

```
header   8 bytes "PKVECTOR" | u32 format version | u32 dim
record   32 bytes key       | f32 × dim          | u32 CRC-32 of key and vector
```

All numbers are little-endian. A process that is killed while it appends leaves at most one incomplete record at the end, which is removed
when the file is opened. Checksums reveal damage in other places, for example after a power loss; damaged records are skipped.
*/
import {Buffer} from 'node:buffer';
import {constants} from 'node:fs';
import {type FileHandle, open} from 'node:fs/promises';
import {crc32} from 'node:zlib';
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {onPath} from '../../core/file-system.ts';

const MAGIC = Buffer.from('PKVECTOR', 'latin1');
const VERSION = 1;
const HEADER_BYTES = 16;
const KEY_BYTES = 32;
const CHECKSUM_BYTES = 4;
/** Approximate number of bytes per read. */
const READ_BYTES = 1_048_576;

/** A key with its vector. */
export type Entry = readonly [key: string, vector: Float32Array];

/** An open file of vectors. The keys in calls are hexadecimal. Calls of `append` must not overlap. */
export class VectorCacheFile {
	readonly path: string;
	readonly dim: number;
	/** Number of bytes that were skipped or removed when the file was opened. */
	damagedBytes = 0;
	readonly #file: FileHandle;
	readonly #recordBytes: number;
	/** Maps each key, as 32 characters of Latin-1, to the position of its record in the file, counted in records from 0. */
	readonly #records = new Map<string, number>();
	/** Number of records in the file, damaged and repeated ones included. */
	#recordCount = 0;

	private constructor(path: string, dim: number, file: FileHandle) {
		this.path = path;
		this.dim = dim;
		this.#file = file;
		this.#recordBytes = KEY_BYTES + 4 * dim + CHECKSUM_BYTES;
	}

	/**
	Opens the file, or creates it. Reads it once, to check the records. Fails with `ERR_FORMAT` if the file is not a vector cache, with
	`ERR_INDEX_VERSION` if it has another format version, and with `ERR_DIMENSION` if its vectors do not have `dim` numbers. In these cases,
	the file is left unchanged.
	*/
	static async open(path: string, dim: number, signal: AbortSignal | undefined): Promise<VectorCacheFile> {
		const file = await onPath('open', path, async () => open(path, constants.O_RDWR | constants.O_CREAT));
		try {
			const opened = new VectorCacheFile(path, dim, file);
			await onPath('read', path, async () => {
				await opened.#readHeader();
				await opened.#readRecords(signal);
			});
			return opened;
		} catch (error) {
			await file.close();
			throw error;
		}
	}

	/** Number of distinct keys. */
	get size(): number {
		return this.#records.size;
	}

	/** Returns the vector of each key, or `undefined` where there is none or its record is damaged. */
	async read(keys: readonly string[]): Promise<Array<Float32Array | undefined>> {
		const found = keys
			.map((key, i) => {
				const id = idOf(key);
				return {i, id, record: this.#records.get(id)};
			})
			.filter((each): each is typeof each & {readonly record: number} => each.record !== undefined)
			.sort((a, b) => a.record - b.record);
		const vectors: Array<Float32Array | undefined> = Array.from({length: keys.length});
		const recordsPerRead = this.#recordsPerRead;
		for (let from = 0; from < found.length; ) {
			// Adjacent records are read together: texts are often encoded again in the same order.
			const first = found[from]!.record;
			let to = from + 1;
			while (to < found.length && found[to]!.record <= found[to - 1]!.record + 1 && found[to]!.record < first + recordsPerRead) {
				to++;
			}
			const bytes = await this.#readAt(first, found[to - 1]!.record - first + 1);
			for (const {i, id, record} of found.slice(from, to)) {
				const recordBytes = this.#recordAt(bytes, record - first);
				if (recordBytes !== undefined && isIntact(recordBytes) && idIn(recordBytes) === id) {
					vectors[i] = vectorIn(recordBytes, this.dim);
				} else {
					// The file was damaged after it was opened.
					this.#records.delete(id);
				}
				await yieldIfOverBudget();
			}
			from = to;
		}
		return vectors;
	}

	/** Appends the entries whose keys are not in the file. If writing fails, the next call overwrites what was written. */
	async append(entries: readonly Entry[]): Promise<void> {
		const added = new Map<string, Float32Array>();
		for (const [key, vector] of entries) {
			const id = idOf(key);
			if (!this.#records.has(id)) {
				added.set(id, vector);
			}
		}
		const bytes = Buffer.allocUnsafe(added.size * this.#recordBytes);
		let at = 0;
		for (const [id, {buffer, byteOffset, byteLength}] of added) {
			const record = bytes.subarray(at, at + this.#recordBytes);
			record.write(id, 'latin1');
			record.set(new Uint8Array(buffer, byteOffset, byteLength), KEY_BYTES);
			record.writeUInt32LE(checksumOf(record), record.length - CHECKSUM_BYTES);
			at += record.length;
			await yieldIfOverBudget();
		}
		await onPath('write', this.path, async () => this.#writeAt(HEADER_BYTES + this.#recordCount * this.#recordBytes, bytes));
		for (const id of added.keys()) {
			this.#records.set(id, this.#recordCount++);
		}
	}

	async close(): Promise<void> {
		await onPath('close', this.path, async () => this.#file.close());
	}

	async #readHeader(): Promise<void> {
		const header = Buffer.alloc(HEADER_BYTES);
		const {bytesRead} = await this.#file.read(header, 0, HEADER_BYTES, 0);
		const magic = header.subarray(0, Math.min(bytesRead, MAGIC.length));
		if (!magic.equals(MAGIC.subarray(0, magic.length))) {
			throw new RetrievalError('ERR_FORMAT', `open ${this.path}: expected a vector cache, got a file of another kind`);
		}
		if (bytesRead < HEADER_BYTES) {
			// The file is new, or its creator was killed before the header was complete.
			MAGIC.copy(header);
			header.writeUInt32LE(VERSION, 8);
			header.writeUInt32LE(this.dim, 12);
			await this.#writeAt(0, header);
			return;
		}
		const [version, dim] = [header.readUInt32LE(8), header.readUInt32LE(12)];
		if (version !== VERSION) {
			throw new RetrievalError('ERR_INDEX_VERSION', `open ${this.path}: expected format version ${VERSION}, got ${version}`);
		}
		if (dim !== this.dim) {
			throw new RetrievalError('ERR_DIMENSION', `open ${this.path}: expected vectors of dimension ${this.dim}, got ${dim}`);
		}
	}

	/** Reads and checks all records, and removes an incomplete one at the end. */
	async #readRecords(signal: AbortSignal | undefined): Promise<void> {
		const {size} = await this.#file.stat();
		const count = Math.floor((size - HEADER_BYTES) / this.#recordBytes);
		const end = HEADER_BYTES + count * this.#recordBytes;
		for (let first = 0; first < count; first += this.#recordsPerRead) {
			signal?.throwIfAborted();
			const bytes = await this.#readAt(first, Math.min(this.#recordsPerRead, count - first));
			for (let i = 0; i * this.#recordBytes < bytes.length; i++) {
				const record = this.#recordAt(bytes, i);
				if (record !== undefined && isIntact(record)) {
					this.#records.set(idIn(record), first + i);
				} else {
					this.damagedBytes += this.#recordBytes;
				}
				await yieldIfOverBudget();
			}
		}
		signal?.throwIfAborted();
		if (end < size) {
			await this.#file.truncate(end);
			this.damagedBytes += size - end;
		}
		this.#recordCount = count;
	}

	get #recordsPerRead(): number {
		return Math.max(1, Math.floor(READ_BYTES / this.#recordBytes));
	}

	/** Returns the record at position `i`, from 0, in `bytes`, which must start with a record. `undefined` if that record is not complete. */
	#recordAt(bytes: Buffer, i: number): Buffer | undefined {
		const record = bytes.subarray(i * this.#recordBytes, (i + 1) * this.#recordBytes);
		return record.length === this.#recordBytes ? record : undefined;
	}

	/** Reads `count` records, starting with record `first`, or fewer if the file ends earlier. */
	async #readAt(first: number, count: number): Promise<Buffer> {
		const bytes = Buffer.allocUnsafe(count * this.#recordBytes);
		let length = 0;
		while (length < bytes.length) {
			const position = HEADER_BYTES + first * this.#recordBytes + length;
			const {bytesRead} = await onPath('read', this.path, async () => this.#file.read(bytes, length, bytes.length - length, position));
			if (bytesRead === 0) {
				break;
			}
			length += bytesRead;
		}
		return bytes.subarray(0, length);
	}

	async #writeAt(position: number, bytes: Buffer): Promise<void> {
		for (let length = 0; length < bytes.length; ) {
			length += (await this.#file.write(bytes, length, bytes.length - length, position + length)).bytesWritten;
		}
	}
}

/** Converts a hexadecimal key to the form of the keys in the map, which takes half the memory. */
const idOf = (key: string): string => Buffer.from(key, 'hex').toString('latin1');
/** Reads the key of a record, in the same form. */
const idIn = (record: Buffer): string => record.toString('latin1', 0, KEY_BYTES);
const checksumOf = (record: Buffer): number => crc32(record.subarray(0, record.length - CHECKSUM_BYTES));
const isIntact = (record: Buffer): boolean => checksumOf(record) === record.readUInt32LE(record.length - CHECKSUM_BYTES);

/** Copies the vector of a record, because a Float32Array must start at a multiple of four bytes. */
function vectorIn(record: Buffer, dim: number): Float32Array {
	const vector = new Float32Array(dim);
	new Uint8Array(vector.buffer).set(record.subarray(KEY_BYTES, KEY_BYTES + 4 * dim));
	return vector;
}
