/** Where passages come from: files, a store, JavaScript. */
import {checkBoolean, checkCount, checkOneOf, hasMethods, kindOf, shown} from './checks.ts';
import {RetrievalError} from './errors.ts';
import {type OptionNames, checkGiven, optionNames} from './options.ts';
import {type TextSource, textsOf} from './passage-texts.ts';
import type {Passage} from './types.ts';

/**
Files of passages. `auto` looks at the content; `.gz` is recognised by content everywhere.

- `text`: a `.txt` or `.md` file or a folder of them, split into passages of 100 words.
- `dpr`: `id \t text \t title` with a header line, as DPR's `psgs_w100.tsv`.
- `beir`: JSON lines with `_id`, `title`, `text`.
- `anserini`: JSON lines with `id`, `contents`.
- `squad`: SQuAD 1.1 or 2.0; every paragraph is a passage.
- `pubmedqa`: PubMedQA; the contexts of a question together are a passage.
*/
export type PassageFormat = 'auto' | 'text' | 'dpr' | 'beir' | 'anserini' | 'squad' | 'pubmedqa';

export const passageFormats: readonly PassageFormat[] = ['auto', 'text', 'dpr', 'beir', 'anserini', 'squad', 'pubmedqa'];

export interface SplitOptions {
	/** Words per passage, at least 1. @default 100 */
	readonly words?: number | undefined;
	/** Words shared with the previous passage, fewer than `words`. @default 0 */
	readonly overlap?: number | undefined;
	/** Fill the last passage from the start of the document, as DPR did. @default false */
	readonly wrap?: boolean | undefined;
}

/** Limits on the size of input, so that a damaged or hostile file cannot exhaust memory. */
export interface ReadLimits {
	/**
	Maximum size of one line, record or text file, in bytes after decompression and before splitting; at most 512 MiB. A longer
	one is a bad line: `ERR_FORMAT` with its number, or skipped. Reading needs a small multiple of it in memory.
	@default 67_108_864 (64 MiB)
	*/
	readonly maxDocumentBytes?: number | undefined;
	/**
	Maximum size of a passage after splitting, in bytes: id, title and text as UTF-8; at most 512 MiB. A longer one is a bad line
	in a file, and an `ERR_ARGUMENT` from JavaScript. @default 1_048_576 (1 MiB)
	*/
	readonly maxPassageBytes?: number | undefined;
}

/** How a file or folder of passages is read. The file may be a FIFO, a pipe or `/dev/stdin`, since it is read only once. */
export interface FileOptions extends ReadLimits {
	/** @default 'auto' */
	readonly format?: PassageFormat | undefined;
	/** Split documents into passages of so many words. @default for `text` only */
	readonly split?: SplitOptions | undefined;
	/** Pass over bad lines and count them, instead of refusing the file. @default false */
	readonly skipBadLines?: boolean | undefined;
}

/** The path of a corpus file or folder, an open `PassageStore`, or passages of JavaScript's. */
export type PassageSource = string | TextSource | Iterable<Passage> | AsyncIterable<Passage>;

export function isTextSource(source: Exclude<PassageSource, string>): source is TextSource {
	if (hasMethods(source, textsOf)) {
		return true;
	}
	if (!hasMethods(source, Symbol.iterator) && !hasMethods(source, Symbol.asyncIterator)) {
		throw new RetrievalError('ERR_ARGUMENT', `source: expected a path, a passage store or an iterable of passages, got ${kindOf(source)}`);
	}
	return false;
}

interface CheckedFileOptions extends CheckedLimits {
	readonly format: PassageFormat;
	readonly skipBadLines: boolean;
	readonly split?: ReturnType<typeof checkedSplit>;
}

/** The names of `ReadLimits` and of `FileOptions`, for calls with additional options. */
export const limitNames = {maxDocumentBytes: true, maxPassageBytes: true} as const;
export const fileNames = {format: true, split: true, skipBadLines: true, ...limitNames} as const;

const splitOptions: OptionNames = optionNames<SplitOptions>({words: true, overlap: true, wrap: true});

export function checkedFileOptions({format = 'auto', split, skipBadLines = false, ...limits}: FileOptions): CheckedFileOptions {
	checkOneOf('format', format, passageFormats);
	checkBoolean('skipBadLines', skipBadLines);
	return {format, skipBadLines, ...checkedReadLimits(limits), ...(split === undefined ? {} : {split: checkedSplit(split)})};
}

interface CheckedLimits {
	readonly maxDocumentBytes: number;
	readonly maxPassageBytes: number;
}

/** The maximum length of a JavaScript string. */
const maxBytes = 2 ** 29;

export function checkedReadLimits({maxDocumentBytes = 2 ** 26, maxPassageBytes = 2 ** 20}: ReadLimits): CheckedLimits {
	checkCount('maxDocumentBytes', maxDocumentBytes, 1, maxBytes);
	checkCount('maxPassageBytes', maxPassageBytes, 1, maxBytes);
	return {maxDocumentBytes, maxPassageBytes};
}

/** Throws if a passage from JavaScript is too long, before it is copied. */
export function checkPassageBytes(what: string, {id, title: mayBe, text}: Passage, maxPassageBytes: number): void {
	const title = mayBe ?? '';
	const units = id.length + title.length + text.length;
	// A UTF-16 code unit takes one to three bytes of UTF-8.
	if (units * 3 <= maxPassageBytes) {
		return;
	}
	const bytes = units > maxPassageBytes ? units : Buffer.byteLength(id) + Buffer.byteLength(title) + Buffer.byteLength(text);
	if (bytes > maxPassageBytes) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${what}: expected at most ${maxPassageBytes} bytes, got at least ${bytes} for ${shown(id.slice(0, 60))}; split it or raise maxPassageBytes`,
		);
	}
}

export function checkedSplit(split: SplitOptions): {words: number; overlap: number; wrap: boolean} {
	checkGiven('split', split, splitOptions);
	const {words = 100, overlap = 0, wrap = false} = split;
	checkCount('split: words', words, 1);
	checkCount('split: overlap', overlap, 0, words - 1);
	checkBoolean('split: wrap', wrap);
	return {words, overlap, wrap};
}
