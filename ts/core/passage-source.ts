/** Where passages come from (a file or folder, a passage store, an iterable), and the options for reading files. */
import {checkBoolean, checkCount, checkOneOf, hasMethods, kindOf, shown} from './checks.ts';
import {RetrievalError} from './errors.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from './options.ts';
import {type TextSource, textsOf} from './passage-texts.ts';
import type {Passage} from './types.ts';

/**
File formats of passages. `auto` detects the format from the content. Gzip is detected from the content in every format.

- `text`: a `.txt` or `.md` file, or a folder of them, split into passages, by default of 100 words.
- `dpr`: tab-separated id, text and title, with a header line, as in DPR's `psgs_w100.tsv`.
- `beir`: JSON lines with `_id`, `title`, `text`, as in the BEIR benchmark.
- `anserini`: JSON lines with `id`, `contents`, as Anserini and Pyserini read them.
- `squad`: SQuAD 1.1 or 2.0; every paragraph is a passage.
- `pubmedqa`: PubMedQA; all contexts of a question form one passage.
*/
export type PassageFormat = 'auto' | 'text' | 'dpr' | 'beir' | 'anserini' | 'squad' | 'pubmedqa';

export const passageFormats: readonly PassageFormat[] = ['auto', 'text', 'dpr', 'beir', 'anserini', 'squad', 'pubmedqa'];

/** How a document is split into passages with the same number of words. */
export interface SplitOptions {
	/** Number of words per passage, at least 1. The last passage may have fewer. @default 100 */
	readonly words?: number | undefined;
	/** Number of words that a passage shares with the previous one; less than `words`. @default 0 */
	readonly overlap?: number | undefined;
	/** Fills up the last passage to `words` words with words from the start of the document, as DPR did. @default false */
	readonly wrap?: boolean | undefined;
}

/** Limits on the size of input, so that a damaged or malicious file cannot exhaust memory. */
export interface ReadLimits {
	/**
	Maximum size of one line, record or text file, in bytes after decompression and before splitting; at most 512 MiB. A larger
	one is treated as an invalid line: the call fails with `ERR_FORMAT` or, if `skipBadLines` is true, skips it. Reading needs memory for a
	small multiple of this size.
	@default 67_108_864 (64 MiB)
	*/
	readonly maxDocumentBytes?: number | undefined;
	/**
	Maximum size of a passage after splitting, in bytes of UTF-8 for id, title and text together; at most 512 MiB. A larger passage
	in a file is treated as an invalid line; a larger passage from JavaScript fails with `ERR_ARGUMENT`. @default 1_048_576 (1 MiB)
	*/
	readonly maxPassageBytes?: number | undefined;
}

/** How a file or folder of passages is read. A file is read once, from start to end, so it may be a FIFO, a pipe or `/dev/stdin`. */
export interface FileOptions extends ReadLimits {
	/** Format of the file. @default 'auto' */
	readonly format?: PassageFormat | undefined;
	/** How documents are split into passages, in any format. @default {words: 100} for the format `text`; other formats are not split */
	readonly split?: SplitOptions | undefined;
	/** Skips and counts invalid lines, instead of failing with `ERR_FORMAT`. @default false */
	readonly skipBadLines?: boolean | undefined;
}

/** The path of a corpus file or folder, an open `PassageStore`, or an iterable of passages. */
export type PassageSource = string | TextSource | Iterable<Passage> | AsyncIterable<Passage>;

/** Whether a source is a `TextSource`, such as a `PassageStore`. Fails with `ERR_ARGUMENT` if it is neither a `TextSource` nor iterable. */
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

/** The option names of `ReadLimits` and of `FileOptions`, for calls that spread them into their own option names. */
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

/** The highest limit that can be set: 512 MiB, about the maximum length of a JavaScript string. */
const maxBytes = 2 ** 29;

export function checkedReadLimits({maxDocumentBytes = 2 ** 26, maxPassageBytes = 2 ** 20}: ReadLimits): CheckedLimits {
	checkCount('maxDocumentBytes', maxDocumentBytes, 1, maxBytes);
	checkCount('maxPassageBytes', maxPassageBytes, 1, maxBytes);
	return {maxDocumentBytes, maxPassageBytes};
}

/** Fails with `ERR_ARGUMENT` if a passage from JavaScript is too large, before it is copied. */
export function checkPassageBytes(what: string, {id, title: titleIfAny, text}: Passage, maxPassageBytes: number): void {
	const title = titleIfAny ?? '';
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
	checkRequiredOptions('split', split, splitOptions);
	const {words = 100, overlap = 0, wrap = false} = split;
	checkCount('split: words', words, 1);
	checkCount('split: overlap', overlap, 0, words - 1);
	checkBoolean('split: wrap', wrap);
	return {words, overlap, wrap};
}
