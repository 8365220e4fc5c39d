/**
Records of a file: the objects of a JSON file or the rows of a table. A `RecordReader` reads them one after the other from a `ByteInput`;
`documentOf` converts each of them to a document according to a mapping.
*/
import {kindOf} from '../../core/checks.ts';

/** One record of a file. */
export interface SourceRecord {
	/** The line on which the record begins, from 1. */
	readonly line: number;
	/** Names of the columns, which are the same for all rows of a table, or of the properties of the object. Unnamed columns are left out. */
	readonly names: readonly string[];
	/** Returns the value of a column, or of a property such as `author.name`; undefined if it is missing, null or an empty cell. */
	get(path: string): unknown;
}

/** Reads the records of one file. */
export interface RecordReader {
	/** Whether `SourceRecord.names` are names of columns or of properties, for error messages. */
	readonly nameKind: 'column' | 'property';
	/**
	Returns the next record, or undefined at the end of the file. Fails with a `RecordError` if the record is invalid; the next call
	then continues with the record after it.
	*/
	read(): Promise<SourceRecord | undefined>;
}

/** An error on a line of a file. `readDocuments` adds the path and converts it to a `RetrievalError`. */
abstract class LineError extends Error {
	/** The line with the error, from 1; undefined if the error does not belong to one line. */
	readonly line: number | undefined;
	/** The two parts of the message. */
	readonly parts: readonly [expected: string, got: string];

	constructor(line: number | undefined, ...parts: readonly [expected: string, got: string]) {
		const [expected, got] = parts;
		super(`expected ${expected}, got ${got}`);
		this.line = line;
		this.parts = parts;
	}
}

/** Thrown for an invalid record. The record can be skipped, because the reader can find the next one. */
export class RecordError extends LineError {}

/** Thrown for a file that does not have the expected format. The rest of the file cannot be read. */
export class FileError extends LineError {}

/** The error for a record of more than `limit` bytes. */
export function recordTooLong(line: number, limit: number): RecordError {
	const size = limit % 2 ** 20 === 0 ? `${limit / 2 ** 20} MiB` : `${limit} bytes`;
	return new RecordError(line, `a document of at most ${size}`, 'a longer one; raise maxDocumentBytes if it is valid');
}

/** Maximum number of characters of a value in an error message. */
const MAX_QUOTED_CHARACTERS = 60;

/** Quotes and escapes a text for an error message. A long text is truncated. */
export function quoted(text: string): string {
	return text.length <= MAX_QUOTED_CHARACTERS ? JSON.stringify(text) : `${JSON.stringify(text.slice(0, MAX_QUOTED_CHARACTERS))}…`;
}

/** Describes a value of a record for an error message. */
export function described(value: unknown): string {
	if (typeof value === 'string') {
		return quoted(value);
	}
	if (typeof value === 'number' || typeof value === 'boolean' || value === null) {
		return String(value);
	}
	return Array.isArray(value) ? 'an array' : value === undefined ? 'nothing' : typeof value === 'object' ? 'an object' : kindOf(value);
}
