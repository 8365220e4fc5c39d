/** `readDocuments` streams documents from files. Documents from JSON, CSV and TSV can have fields; documents from text files have none. */
import {checkBoolean, checkFunction, checkOneOf, checkString} from '../../core/checks.ts';
import {CallbackRunner} from '../../core/callbacks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {hasTimeLeft, yieldToEventLoop} from '../../core/event-loop.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import {type ReadLimits, checkedReadLimits} from '../../core/passage-source.ts';
import type {CallOptions, Progress} from '../../core/types.ts';
import {isFolder} from '../../core/file-system.ts';
import {ByteInput, type DocumentEncoding, documentEncodings} from './byte-input.ts';
import {JsonArray, JsonLines} from './json-records.ts';
import {type CheckedMapping, type DocumentMapping, checkedMapping} from './mapping.ts';
import {FileError, RecordError, type RecordReader, quoted} from './record.ts';
import {type SourceDocument, checkColumns, documentOf} from './source-document.ts';
import {TableRows} from './table-rows.ts';
import {textDocuments} from './text-documents.ts';

/**
File formats of documents. `auto` detects the format from the content. Gzip is detected from the content in every format.

- `jsonl`: one JSON object per line.
- `json`: one JSON array of objects.
- `csv`: a header line with the names of the columns, then the rows (RFC 4180), with commas or another delimiter.
- `tsv`: the same with tabs.
- `text`: a folder of `.txt` and `.md` files, or one such file. `auto` chooses this format only for a folder.
*/
export type DocumentFormat = 'auto' | 'jsonl' | 'json' | 'csv' | 'tsv' | 'text';

export const documentFormats: readonly DocumentFormat[] = ['auto', 'jsonl', 'json', 'csv', 'tsv', 'text'];

/** The options of `readDocuments`. */
export interface ReadDocumentsOptions extends CallOptions, Pick<ReadLimits, 'maxDocumentBytes'> {
	/**
	Which columns or properties become which parts of a document. @default the columns or properties `id`, `text` and `title`; all others
	are fields
	*/
	readonly mapping?: DocumentMapping | undefined;
	/** Format of the file. @default 'auto' */
	readonly format?: DocumentFormat | undefined;
	/** The ASCII character between the cells of a table. With it, the format 'auto' means 'csv'. @default ',' for CSV, a tab for TSV */
	readonly delimiter?: string | undefined;
	/** Encoding of the file. A byte order mark is skipped. @default 'utf-8' */
	readonly encoding?: DocumentEncoding | undefined;
	/** Skips invalid records instead of failing with `ERR_FORMAT`; `onSkipped` receives their number. @default false */
	readonly skipBadLines?: boolean | undefined;
	/** Called at the end with the number of skipped records. If it throws, the iteration ends with that error. */
	readonly onSkipped?: ((records: number) => void) | undefined;
}

const documentOptions: OptionNames = optionNames<ReadDocumentsOptions>({
	...callNames,
	mapping: true,
	format: true,
	delimiter: true,
	encoding: true,
	maxDocumentBytes: true,
	skipBadLines: true,
	onSkipped: true,
});

/**
Streams documents from a file of JSON, CSV or TSV, plain or compressed with gzip. Memory holds one record at a time. Fails with `ERR_FORMAT`
at an invalid record, unless `skipBadLines` is set; the message names the file, the line and what was expected. A record is invalid if it
has no id, if a JSON object has no text, if a value does not fit its type in the mapping or cannot be a field, or if a row does not have as
many cells as the header. If the end of a skipped row cannot be determined, for example because a quote is not closed, reading continues on
the line after the one on which the row begins. An error of the whole file, such as a header with two columns of the same name or incomplete
gzip data, is never skipped.

A missing or null value, or an empty table cell, gives no field. Progress counts bytes of the file. A FIFO is read as data arrives, and
aborting `signal` ends the wait for data.

A folder gives one document per `.txt` or `.md` file, in the order of their paths. The id is the path relative to the folder. The title
is the first heading of a Markdown file, or else the name of the file. Files without words are left out, and the options `mapping`,
`delimiter` and `encoding` are rejected.

@example
```
const mapping = {id: 'isbn', text: ['abstract', 'body'], fields: {year: 'number', tags: 'strings'}} as const;
for await (const {id, text, fields} of readDocuments('./books.csv', {mapping})) {
	console.log(id, text.length, fields?.['year']);
}
```
*/
export async function* readDocuments(path: string, options: ReadDocumentsOptions = {}): AsyncGenerator<SourceDocument, void, undefined> {
	checkString('path', path);
	checkOptions('readDocuments', options, documentOptions);
	const {signal, onProgress, onSkipped, encoding = 'utf-8', skipBadLines = false} = options;
	checkOneOf('encoding', encoding, documentEncodings);
	checkBoolean('skipBadLines', skipBadLines);
	if (onSkipped !== undefined) {
		checkFunction('onSkipped', onSkipped);
	}
	const {format, delimiter} = checkedFormat(options);
	const mapping = checkedMapping(options.mapping);
	const {maxDocumentBytes} = checkedReadLimits({maxDocumentBytes: options.maxDocumentBytes});
	signal?.throwIfAborted();
	if (format === 'text' || isFolder(path)) {
		checkTextOptions(path, options);
		yield* textDocuments(path, {signal, onProgress, onSkipped, skipBadLines, maxDocumentBytes});
		return;
	}

	let input: ByteInput | undefined;
	let skipped = 0;
	try {
		input = await ByteInput.open(path, encoding, signal);
		const progress = onProgress && new ProgressReports(onProgress, input);
		const reader = await openReader(input, format, delimiter, mapping, maxDocumentBytes);
		for (;;) {
			signal?.throwIfAborted();
			progress?.report();
			if (!hasTimeLeft()) {
				await yieldToEventLoop();
			}
			let document: SourceDocument | undefined;
			try {
				const record = await reader.read();
				if (record === undefined) {
					break;
				}
				document = documentOf(record, reader, mapping);
			} catch (error) {
				progress?.throwIfFailed();
				if (!(error instanceof RecordError && skipBadLines)) {
					throw error;
				}
				skipped++;
				continue;
			}
			yield document;
		}
		await progress?.finish(signal);
	} catch (error) {
		throw error instanceof RecordError || error instanceof FileError ? formatError(path, error) : error;
	} finally {
		await input?.close();
	}
	await onSkipped?.(skipped);
}

/** Fails if the format is neither `auto` nor `text`, or if an option is set that does not apply to text files. */
function checkTextOptions(path: string, {format = 'auto', mapping, delimiter, encoding}: ReadDocumentsOptions): void {
	if (format !== 'auto' && format !== 'text') {
		throw new RetrievalError('ERR_IO', `open ${path}: expected a file, got a folder`);
	}
	for (const [name, value] of Object.entries({mapping, delimiter, encoding})) {
		if (value !== undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `${name}: expected none for text files, got one for ${path}`);
		}
	}
}

interface CheckedFormat {
	readonly format: DocumentFormat;
	readonly delimiter: string | undefined;
}

function checkedFormat({format = 'auto', delimiter}: ReadDocumentsOptions): CheckedFormat {
	checkOneOf('format', format, documentFormats);
	if (delimiter === undefined) {
		return {format, delimiter};
	}
	checkString('delimiter', delimiter);
	if (!/^[^\0"\n\r\u0080-\uffff]$/u.test(delimiter)) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`delimiter: expected one ASCII character other than a quote or a line break, got ${JSON.stringify(delimiter)}`,
		);
	}
	if (format === 'json' || format === 'jsonl' || format === 'text') {
		throw new RetrievalError('ERR_ARGUMENT', `delimiter: expected only with the formats csv and tsv, got the format ${format}`);
	}
	return {format: format === 'auto' ? 'csv' : format, delimiter};
}

/** Opens the reader of a format, and checks the header of a table. */
async function openReader(
	input: ByteInput,
	format: Exclude<DocumentFormat, 'text'>,
	delimiter: string | undefined,
	mapping: CheckedMapping,
	limit: number,
): Promise<RecordReader> {
	const detected = format === 'auto' ? await detectedFormat(input) : format;
	switch (detected) {
		case 'json': {
			return new JsonArray(input, limit);
		}
		case 'jsonl': {
			return new JsonLines(input, limit);
		}
		case 'csv':
		case 'tsv': {
			const rows = await TableRows.open(input, delimiter ?? (detected === 'tsv' ? '\t' : ','), limit);
			checkColumns(rows, mapping);
			return rows;
		}
	}
}

/** Maximum number of bytes that are read to detect the format. */
const MAX_DETECTION_BYTES = 1 << 20;

/** Detects the format by the first line that is not blank: JSON by its first character, TSV by a tab; otherwise, the format is CSV. */
async function detectedFormat(input: ByteInput): Promise<Exclude<DocumentFormat, 'auto' | 'text'>> {
	for (;;) {
		const start = input.data.subarray(0, MAX_DETECTION_BYTES).toString().trimStart();
		const isLineComplete = /[\r\n]/u.test(start) || input.data.length >= MAX_DETECTION_BYTES;
		if (start.startsWith('[') || start.startsWith('{')) {
			return start.startsWith('[') ? 'json' : 'jsonl';
		}
		if (isLineComplete || !(await input.fill())) {
			const [line] = start.split(/[\r\n]/u, 1);
			if (line === undefined || line === '') {
				throw new FileError(undefined, 'JSON, or a table with a header line', 'an empty file');
			}
			if (line.includes('\0')) {
				throw new FileError(undefined, 'JSON, or a table with a header line', `binary data that begins with ${quoted(line.slice(0, 8))}`);
			}
			return line.includes('\t') ? 'tsv' : 'csv';
		}
	}
}

function formatError(path: string, error: RecordError | FileError): RetrievalError {
	const place = error.line === undefined ? path : `${path}:${error.line}`;
	return new RetrievalError('ERR_FORMAT', `${place}: ${error.message}`, {cause: error});
}

const PROGRESS_INTERVAL_MS = 100;

/** Calls `onProgress` about ten times per second with the number of bytes read. */
class ProgressReports {
	readonly #input: ByteInput;
	readonly #runner: CallbackRunner<Progress>;
	#reportedAt = performance.now();

	constructor(onProgress: (progress: Progress) => void, input: ByteInput) {
		this.#input = input;
		this.#runner = new CallbackRunner(onProgress, () => input.destroy());
	}

	/** Reports if the interval has passed since the last report. Throws the error of `onProgress` if this call or an earlier one failed. */
	report(): void {
		const now = performance.now();
		if (now - this.#reportedAt >= PROGRESS_INTERVAL_MS) {
			this.#reportedAt = now;
			this.#call();
		}
		this.throwIfFailed();
	}

	/** Makes the final report, and waits for the promises that `onProgress` returned. */
	async finish(signal: AbortSignal | undefined): Promise<void> {
		this.#call();
		await this.#runner.settled(signal);
		this.throwIfFailed();
		if (this.#runner.isPending) {
			signal?.throwIfAborted();
		}
	}

	throwIfFailed(): void {
		if (this.#runner.failure !== undefined) {
			throw this.#runner.failure.error;
		}
	}

	#call(): void {
		this.#runner.call({done: this.#input.bytesRead, total: this.#input.bytesTotal});
	}
}
