/** Streams the documents of the files that `passagekit add` was given. */
import {RetrievalError} from '../../core/errors.ts';
import {type ReadDocumentsOptions, type SourceDocument, readDocuments} from '../../corpus/index.ts';
import {readPassages} from '../../corpus/readers.ts';
import type {Input} from './inputs.ts';

/** How files are read. */
export type ReadingOptions = Pick<ReadDocumentsOptions, 'mapping' | 'format' | 'delimiter' | 'encoding' | 'skipBadLines' | 'signal'>;

/** A number of words per passage that no text reaches, so that the whole text is one passage. */
const ALL_WORDS = 2 ** 31 - 1;
/** The largest `maxPassageBytes` that `readPassages` accepts: 512 MiB. */
const MAX_TEXT_BYTES = 2 ** 29;

/** Reads files one after another, and counts the bytes that were read. */
export class InputReader {
	readonly #inputs: readonly Input[];
	readonly #options: ReadingOptions;
	/** Bytes of the files that were read to their end. */
	#finishedBytes = 0;
	/** Bytes read of the current file, if it is a file of records; a text file counts only when it has been read. */
	#currentBytes = 0;
	#skipped = 0;

	constructor(inputs: readonly Input[], options: ReadingOptions) {
		this.#inputs = inputs;
		this.#options = options;
	}

	/** Bytes that were read so far, before decompression. */
	get bytesRead(): number {
		return this.#finishedBytes + this.#currentBytes;
	}

	/** Bytes of all files; 0 if the size of any file is unknown. */
	get bytesTotal(): number {
		return this.#inputs.some(({bytes}) => bytes === 0) ? 0 : this.#inputs.reduce((sum, {bytes}) => sum + bytes, 0);
	}

	/** Number of invalid records or files that were skipped. */
	get skipped(): number {
		return this.#skipped;
	}

	/** Streams the documents in the order of the files. */
	async *documents(): AsyncGenerator<SourceDocument, void, undefined> {
		for (const {path, id, bytes} of this.#inputs) {
			yield* id === undefined ? this.#records(path) : this.#text(path, id);
			this.#finishedBytes += bytes;
			this.#currentBytes = 0;
		}
	}

	async *#records(path: string): AsyncGenerator<SourceDocument, void, undefined> {
		try {
			yield* readDocuments(path, {
				...this.#options,
				onProgress: ({done}) => {
					this.#currentBytes = done;
				},
				onSkipped: count => {
					this.#skipped += count;
				},
			});
		} catch (error) {
			throw withFlags(error);
		}
	}

	/**
	Reads a text file, which is one document. A file without words yields no document. The title is the first `# ` heading of a Markdown
	file, or else the name of the file without its extension.
	*/
	async *#text(path: string, id: string): AsyncGenerator<SourceDocument, void, undefined> {
		const {skipBadLines, signal} = this.#options;
		const passages = readPassages(path, {
			format: 'text',
			// By default, the text would be split into passages here, and not as the collection splits it.
			split: {words: ALL_WORDS},
			maxPassageBytes: MAX_TEXT_BYTES,
			skipBadLines,
			signal,
			onSkipped: count => {
				this.#skipped += count;
			},
		});
		for await (const {title, text} of passages) {
			yield {id, text, ...(title === undefined ? {} : {title})};
		}
	}
}

/** Adds the names of the flags to an error about columns or properties. */
function withFlags(error: unknown): unknown {
	const isAboutNames =
		error instanceof RetrievalError && error.code === 'ERR_FORMAT' && /expected (?:an id|a text|the column)/u.test(error.message);
	if (!isAboutNames) {
		return error;
	}
	const message = error.message.replace(/; name other columns in the mapping, or set the delimiter$/u, '');
	return new RetrievalError('ERR_FORMAT', `${message}; name the parts with --id, --text, --title and --fields`, {cause: error});
}
