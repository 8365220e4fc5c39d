/**
Reads a file into a buffer, as UTF-8. `ByteInput.fill` appends bytes to the buffer, and a reader consumes records from its start. The buffer
grows as long as nothing is consumed, so the reader compares the length of the data with the maximum size of a record after each `fill`.
*/
import {isUtf8} from 'node:buffer';
import {isNativeError} from 'node:util/types';
import {cancelOnAbort} from '../../core/abort.ts';
import {RetrievalError} from '../../core/errors.ts';
import {pathError} from '../../core/file-system.ts';
import {FileError, RecordError} from './record.ts';
import {type SourceFile, openSourceFile} from './source-file.ts';

/** Encodings of text files. */
export type DocumentEncoding = 'utf-8' | 'utf-16le' | 'windows-1252';

export const documentEncodings: readonly DocumentEncoding[] = ['utf-8', 'utf-16le', 'windows-1252'];

/** The characters of the bytes 0x80 to 0x9f in windows-1252. Node 20 decodes them as ISO 8859-1, which has control characters there. */
const WINDOWS_1252 = '€\u0081‚ƒ„…†‡ˆ‰Š‹Œ\u008dŽ\u008f\u0090‘’“”•–—˜™š›œ\u009džŸ';

/** The content of a file after decompression, without a byte order mark. */
export class ByteInput {
	readonly path: string;
	/** The number, from 1, of the line with the first byte that has not been consumed. */
	line = 1;
	readonly #file: SourceFile;
	readonly #signal: AbortSignal | undefined;
	readonly #encoding: DocumentEncoding;
	readonly #utf16 = new TextDecoder('utf-16le', {fatal: true});
	readonly #stopListening: (() => void) | undefined;
	/** The bytes that have been read and not consumed are `#buffer[#start..#end]`. */
	#buffer: Buffer = Buffer.alloc(0);
	#start = 0;
	#end = 0;
	/** Whether `#buffer` was allocated here, with room after its end; chunks of the file are never written to. */
	#isOwned = false;
	#isAtEnd = false;

	private constructor(path: string, file: SourceFile, encoding: DocumentEncoding, signal: AbortSignal | undefined) {
		this.path = path;
		this.#file = file;
		this.#encoding = encoding;
		this.#signal = signal;
		this.#stopListening = signal && cancelOnAbort(signal, {cancel: () => file.destroy()});
	}

	/** Opens a file and reads its beginning. Fails with `ERR_IO` if it cannot be read, and with the signal's reason if the signal aborts. */
	static async open(path: string, encoding: DocumentEncoding, signal: AbortSignal | undefined): Promise<ByteInput> {
		const input = new ByteInput(path, await openSourceFile(path), encoding, signal);
		try {
			await input.#skipByteOrderMark();
			return input;
		} catch (error) {
			await input.close();
			throw error;
		}
	}

	/** The bytes that have been read and not consumed. The next `fill` may overwrite them. */
	get data(): Buffer {
		return this.#buffer.subarray(this.#start, this.#end);
	}

	/** Number of bytes read from the file so far, before decompression. */
	get bytesRead(): number {
		return this.#file.bytesRead;
	}

	/** Size of the file in bytes, or 0 if it is unknown. */
	get bytesTotal(): number {
		return this.#file.bytesTotal;
	}

	/** Removes `bytes` bytes, which contain `lines` line feeds, from the start of the data. */
	consume(bytes: number, lines: number): void {
		this.#start += bytes;
		this.line += lines;
	}

	/** Appends bytes of the file to `data`. Returns false at the end of the file. */
	async fill(): Promise<boolean> {
		while (!this.#isAtEnd) {
			this.#signal?.throwIfAborted();
			const chunk = await this.#nextChunk();
			this.#signal?.throwIfAborted();
			if (chunk.length > 0) {
				this.#append(chunk);
				return true;
			}
		}
		return false;
	}

	/** Consumes the rest of the current line, including its line break. */
	async skipLine(): Promise<void> {
		for (;;) {
			const {data} = this;
			const end = data.indexOf(0x0a);
			if (end !== -1) {
				this.consume(end + 1, 1);
				return;
			}
			this.consume(data.length, 0);
			if (!(await this.fill())) {
				return;
			}
		}
	}

	/** Makes a pending read fail. */
	destroy(): void {
		this.#file.destroy();
	}

	async close(): Promise<void> {
		this.#stopListening?.();
		await this.#file.close();
	}

	/** Reads a chunk and converts it to UTF-8. The result is empty at the end of the file, and may be empty before. */
	async #nextChunk(): Promise<Buffer> {
		let next: IteratorResult<Buffer, unknown>;
		try {
			next = await this.#file.chunks.next();
		} catch (error) {
			this.#isAtEnd = true;
			this.#signal?.throwIfAborted();
			throw this.#readError(error);
		}
		this.#isAtEnd = next.done === true;
		const chunk = next.done ? Buffer.alloc(0) : next.value;
		switch (this.#encoding) {
			case 'utf-8': {
				return chunk;
			}
			case 'windows-1252': {
				return Buffer.from(
					chunk.toString('latin1').replaceAll(/[\u0080-\u009f]/gu, character => WINDOWS_1252[character.charCodeAt(0) - 0x80]!),
				);
			}
			case 'utf-16le': {
				try {
					return Buffer.from(this.#utf16.decode(chunk, {stream: !this.#isAtEnd}));
				} catch {
					throw new FileError(undefined, 'text in UTF-16, little-endian', 'bytes that are not');
				}
			}
		}
	}

	#readError(error: unknown): unknown {
		const code = isNativeError(error) ? (error as NodeJS.ErrnoException).code : undefined;
		return code?.startsWith('Z_')
			? new RetrievalError('ERR_FORMAT', `${this.path}: expected complete gzip data, got ${(error as Error).message}`, {cause: error})
			: pathError('read', this.path, error);
	}

	#append(chunk: Buffer): void {
		const length = this.#end - this.#start;
		if (length === 0) {
			[this.#buffer, this.#start, this.#end, this.#isOwned] = [chunk, 0, chunk.length, false];
			return;
		}
		const needed = length + chunk.length;
		if (!this.#isOwned || this.#buffer.length - this.#end < chunk.length) {
			// Doubling the size keeps the cost of copying linear in the size of the record.
			const target = this.#isOwned && needed * 2 <= this.#buffer.length ? this.#buffer : Buffer.allocUnsafeSlow(needed * 2);
			this.#buffer.copy(target, 0, this.#start, this.#end);
			[this.#buffer, this.#start, this.#end, this.#isOwned] = [target, 0, length, true];
		}
		chunk.copy(this.#buffer, this.#end);
		this.#end += chunk.length;
	}

	async #skipByteOrderMark(): Promise<void> {
		while (this.data.length < 3 && (await this.fill())) {
			// Reads until there are three bytes, the length of the longest byte order mark.
		}
		const [first, second, third] = this.data;
		if (first === 0xef && second === 0xbb && third === 0xbf) {
			this.consume(3, 0);
		} else if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) {
			const hint = first === 0xff ? `; set the encoding to 'utf-16le'` : '';
			throw new FileError(undefined, 'text in UTF-8', `text in UTF-16${hint}`);
		}
	}
}

/** Fails with a `RecordError` if the bytes of a record are not UTF-8. */
export function checkUtf8(line: number, bytes: Buffer): void {
	if (!isUtf8(bytes)) {
		throw new RecordError(line, 'text in UTF-8', 'bytes that are not; set the encoding if the file has another one');
	}
}
