/** Opens files for streaming: regular files, FIFOs and devices, plain or compressed with gzip. */
import {constants, createReadStream, open, type ReadStream} from 'node:fs';
import {stat} from 'node:fs/promises';
import {Socket} from 'node:net';
import {Readable, pipeline} from 'node:stream';
import {promisify} from 'node:util';
import {createGunzip} from 'node:zlib';
import {onPath} from '../../core/file-system.ts';
import {RetrievalError} from '../../core/errors.ts';

/** Maximum number of bytes per read of a file, and per chunk of decompressed data. */
const CHUNK_BYTES = 64 << 10;

/** An open file whose content is read once, from start to end. */
export interface SourceFile {
	/** The content after decompression. Fails if the file cannot be read or decompressed, or if it is closed before its end. */
	readonly chunks: AsyncIterator<Buffer>;
	/** Number of bytes that have been read from the file so far, before decompression. */
	readonly bytesRead: number;
	/** Size of the file in bytes, or 0 if it is unknown. */
	readonly bytesTotal: number;
	/** Makes a pending read fail, even one that waits for the writer of a FIFO. */
	destroy(): void;
	/** Closes the file. */
	close(): Promise<void>;
}

/** Opens a file. Fails with `ERR_IO` if it is a folder or cannot be opened. */
export async function openSourceFile(path: string): Promise<SourceFile> {
	const stats = await onPath('open', path, async () => stat(path));
	if (stats.isDirectory()) {
		throw new RetrievalError('ERR_IO', `open ${path}: expected a file, got a folder`);
	}
	// Without O_NONBLOCK, opening a FIFO waits for a writer, and this wait could not be aborted.
	const flags = constants.O_RDONLY | (stats.isFIFO() ? (constants.O_NONBLOCK ?? 0) : 0);
	const descriptor = await onPath('open', path, async () => promisify(open)(path, flags));
	const file: ReadStream | Socket = stats.isFIFO()
		? new Socket({fd: descriptor, readable: true, writable: false})
		: createReadStream(path, {fd: descriptor, highWaterMark: CHUNK_BYTES});
	// Errors are thrown by the iterator. Without a listener, an error after the iteration would end the process.
	file.on('error', () => {});
	const destroy = (): void => void file.destroy();
	const chunks = decompressed(file);
	return {
		chunks,
		get bytesRead() {
			return file.bytesRead;
		},
		bytesTotal: stats.isFile() ? stats.size : 0,
		destroy,
		async close() {
			const closed = new Promise<void>(resolve => {
				if (file.closed) {
					resolve();
				} else {
					file.once('close', () => resolve());
				}
			});
			destroy();
			// Frees the memory of the decompressor.
			await chunks.return();
			await closed;
		},
	};
}

/** Decompresses the content if its first two bytes are those of gzip. */
async function* decompressed(file: Readable): AsyncGenerator<Buffer, void, undefined> {
	const chunks = file[Symbol.asyncIterator]() as AsyncIterableIterator<Buffer>;
	let head: Buffer = Buffer.alloc(0);
	while (head.length < 2) {
		const next = await chunks.next();
		if (next.done) {
			break;
		}
		head = head.length === 0 ? next.value : Buffer.concat([head, next.value]);
	}
	async function* allChunks(): AsyncGenerator<Buffer, void, undefined> {
		yield head;
		yield* chunks;
	}
	const isGzip = head[0] === 0x1f && head[1] === 0x8b;
	if (!isGzip) {
		yield* allChunks();
		return;
	}
	const gunzip = createGunzip({chunkSize: CHUNK_BYTES});
	pipeline(Readable.from(allChunks(), {objectMode: false}), gunzip, () => {
		// The iterator below throws the error.
	});
	yield* gunzip as AsyncIterable<Buffer>;
}
