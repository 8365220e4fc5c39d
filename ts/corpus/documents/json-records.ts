/** Reads records from JSON: one object per line (`JsonLines`), or one array of objects (`JsonArray`). */
import {type ByteInput, checkUtf8} from './byte-input.ts';
import {FileError, RecordError, type RecordReader, type SourceRecord, described, quoted, recordTooLong} from './record.ts';

const [LINE_FEED, QUOTE, BACKSLASH, COMMA] = [0x0a, 0x22, 0x5c, 0x2c];
const [OPEN_BRACKET, CLOSE_BRACKET, OPEN_BRACE, CLOSE_BRACE] = [0x5b, 0x5d, 0x7b, 0x7d];

/** One JSON object per line. Blank lines are skipped. */
export class JsonLines implements RecordReader {
	readonly nameKind = 'property';
	readonly #input: ByteInput;
	readonly #limit: number;
	/** Whether the next read must first skip the rest of a line that was too long. */
	#isInLongLine = false;

	/** `limit` is the maximum number of bytes of a line. */
	constructor(input: ByteInput, limit: number) {
		this.#input = input;
		this.#limit = limit;
	}

	async read(): Promise<SourceRecord | undefined> {
		const input = this.#input;
		if (this.#isInLongLine) {
			await input.skipLine();
			this.#isInLongLine = false;
		}
		for (;;) {
			const length = await this.#lineLength();
			const {data, line} = input;
			if (length === 0 && data.length === 0) {
				return undefined;
			}
			const bytes = data.subarray(0, length);
			input.consume(Math.min(length + 1, data.length), 1);
			checkUtf8(line, bytes);
			const text = bytes.toString();
			if (text.trim() !== '') {
				return parsed(line, text, 'a JSON object on each line');
			}
		}
	}

	/** Reads until the data has a complete line, and returns its length without the line feed. */
	async #lineLength(): Promise<number> {
		const input = this.#input;
		let searched = 0;
		for (;;) {
			const {data} = input;
			const end = data.indexOf(LINE_FEED, searched);
			const length = end === -1 ? data.length : end;
			if (length > this.#limit) {
				this.#isInLongLine = true;
				throw recordTooLong(input.line, this.#limit);
			}
			if (end !== -1 || !(await input.fill())) {
				return length;
			}
			searched = length;
		}
	}
}

/** The objects of a JSON array. An element is parsed as soon as its last byte has been read, so memory holds one element at a time. */
export class JsonArray implements RecordReader {
	readonly nameKind = 'property';
	readonly #input: ByteInput;
	readonly #limit: number;
	#state: 'start' | 'first' | 'next' | 'inLongElement' | 'end' = 'start';
	readonly #scanner = new ElementScanner();

	/** `limit` is the maximum number of bytes of an element. */
	constructor(input: ByteInput, limit: number) {
		this.#input = input;
		this.#limit = limit;
	}

	async read(): Promise<SourceRecord | undefined> {
		if (this.#state === 'inLongElement') {
			await this.#scanElement(true);
			this.#state = 'next';
		}
		if (this.#state === 'start') {
			await this.#expect([OPEN_BRACKET], 'a JSON array of objects');
			this.#state = 'first';
		}
		if (this.#state === 'next') {
			const separator = await this.#expect([COMMA, CLOSE_BRACKET], '"," or "]" after an element of the array');
			this.#state = separator === COMMA ? this.#state : 'end';
		} else if (this.#state === 'first' && (await this.#peek()) === CLOSE_BRACKET) {
			this.#input.consume(1, 0);
			this.#state = 'end';
		}
		if (this.#state === 'end') {
			const rest = await this.#peek();
			if (rest !== undefined) {
				throw this.#error('the end of the file after the array', rest);
			}
			return undefined;
		}
		return this.#element();
	}

	async #element(): Promise<SourceRecord> {
		const input = this.#input;
		const next = await this.#peek();
		if (next === undefined || next === COMMA || next === CLOSE_BRACKET) {
			throw this.#error('an element of the array', next);
		}
		this.#scanner.reset();
		const {line} = input;
		const length = await this.#scanElement(false);
		if (length === undefined) {
			this.#state = 'inLongElement';
			throw recordTooLong(line, this.#limit);
		}
		this.#state = 'next';
		const bytes = input.data.subarray(0, length);
		input.consume(length, this.#scanner.lines);
		checkUtf8(line, bytes);
		return parsed(line, bytes.toString(), 'an array of JSON objects');
	}

	/**
	Reads until the data has a complete element, and returns its length in bytes; undefined if that exceeds the limit. With `isDropped`,
	the element is consumed while it is read, and has no limit.
	*/
	async #scanElement(isDropped: boolean): Promise<number | undefined> {
		const input = this.#input;
		const scanner = this.#scanner;
		for (;;) {
			const {data} = input;
			const isComplete = scanner.scan(data);
			if (isDropped) {
				input.consume(scanner.position, scanner.lines);
				scanner.rebase();
			} else if (scanner.position > this.#limit) {
				return undefined;
			}
			if (isComplete) {
				return scanner.position;
			}
			if (!(await input.fill())) {
				throw new FileError(input.line, 'a complete JSON array', 'the end of the file');
			}
		}
	}

	/** Skips white space and returns the next byte without consuming it; undefined at the end of the file. */
	async #peek(): Promise<number | undefined> {
		const input = this.#input;
		for (;;) {
			const {data} = input;
			let [at, lines] = [0, 0];
			for (; at < data.length; at++) {
				const byte = data[at]!;
				if (byte === LINE_FEED) {
					lines++;
				} else if (byte !== 0x20 && byte !== 0x09 && byte !== 0x0d) {
					break;
				}
			}
			const next = data[at];
			input.consume(at, lines);
			if (next !== undefined || !(await input.fill())) {
				return next;
			}
		}
	}

	/** Consumes the next byte, which must be one of `bytes`. */
	async #expect(bytes: readonly number[], expected: string): Promise<number> {
		const next = await this.#peek();
		if (next === undefined || !bytes.includes(next)) {
			throw this.#error(expected, next);
		}
		this.#input.consume(1, 0);
		return next;
	}

	#error(expected: string, next: number | undefined): FileError {
		const got = next === undefined ? 'the end of the file' : quoted(this.#input.data.toString('utf8', 0, 20).split('\n')[0]!);
		return new FileError(this.#input.line, expected, got);
	}
}

/** Finds the end of an element of a JSON array by counting brackets outside of strings. `JSON.parse` checks the element afterwards. */
class ElementScanner {
	/** The position of the next byte to scan, from the start of the data. */
	position = 0;
	/** Number of line feeds before `position`. */
	lines = 0;
	#depth = 0;
	#isInString = false;
	#isEscaped = false;

	/** Prepares to scan a new element, which starts at the start of the data. */
	reset(): void {
		[this.position, this.lines, this.#depth, this.#isInString, this.#isEscaped] = [0, 0, 0, false, false];
	}

	/** Adjusts the scanner after the caller has consumed all scanned bytes: the next byte to scan is then the first one of the data. */
	rebase(): void {
		[this.position, this.lines] = [0, 0];
	}

	/** Scans from `position` to the end of the element or of the data. Returns whether the element is complete. */
	scan(data: Buffer): boolean {
		let at = this.position;
		for (; at < data.length; at++) {
			const byte = data[at];
			if (byte === LINE_FEED) {
				this.lines++;
			}
			if (this.#isInString) {
				if (this.#isEscaped) {
					this.#isEscaped = false;
				} else if (byte === BACKSLASH) {
					this.#isEscaped = true;
				} else if (byte === QUOTE) {
					this.#isInString = false;
				}
			} else if (byte === QUOTE) {
				this.#isInString = true;
			} else if (byte === OPEN_BRACE || byte === OPEN_BRACKET) {
				this.#depth++;
			} else if (this.#depth === 0 && (byte === COMMA || byte === CLOSE_BRACKET)) {
				// An element ends before the comma or bracket that follows it.
				break;
			} else if (byte === CLOSE_BRACE || byte === CLOSE_BRACKET) {
				this.#depth = Math.max(0, this.#depth - 1);
			}
		}
		this.position = at;
		return at < data.length;
	}
}

/** Parses the JSON of one record. `expected` describes the format of the file in errors. */
function parsed(line: number, text: string, expected: string): SourceRecord {
	let value: unknown;
	try {
		value = JSON.parse(text);
	} catch (error) {
		throw new RecordError(line, expected, `invalid JSON: ${(error as Error).message}`);
	}
	if (typeof value !== 'object' || value === null || Array.isArray(value)) {
		throw new RecordError(line, expected, described(value));
	}
	return {line, names: Object.keys(value), get: path => propertyAt(value, path) ?? undefined};
}

/** Returns a property by its name, or by a path such as `author.name`. A property whose own name is the whole path takes precedence. */
function propertyAt(value: object, path: string): unknown {
	if (Object.hasOwn(value, path)) {
		return (value as Readonly<Record<string, unknown>>)[path];
	}
	const [name, ...rest] = path.split('.');
	if (rest.length === 0 || !Object.hasOwn(value, name!)) {
		return undefined;
	}
	const inner = (value as Readonly<Record<string, unknown>>)[name!];
	return typeof inner === 'object' && inner !== null && !Array.isArray(inner) ? propertyAt(inner, rest.join('.')) : undefined;
}
