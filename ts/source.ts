/** Where passages come from: files, a store, JavaScript. */
import {checkCount, checkOneOf} from './check.ts';
import {RetrievalError} from './errors.ts';
import {type TextSource, textsOf} from './texts.ts';
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

/** How a file or folder of passages is read. */
export interface FileOptions {
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
	if (
		typeof source !== 'object' ||
		source === null ||
		!(textsOf in source || Symbol.iterator in source || Symbol.asyncIterator in source)
	) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`source: expected a path, a passage store or an iterable of passages, got ${source === null ? 'null' : typeof source}`,
		);
	}
	return textsOf in source;
}

interface CheckedFileOptions {
	readonly format: PassageFormat;
	readonly skipBadLines: boolean;
	readonly split?: ReturnType<typeof checkedSplit>;
}

export function checkedFileOptions({format = 'auto', split, skipBadLines = false}: FileOptions): CheckedFileOptions {
	checkOneOf('format', format, passageFormats);
	return {format, skipBadLines, ...(split ? {split: checkedSplit(split)} : {})};
}

export function checkedSplit({words = 100, overlap = 0, wrap = false}: SplitOptions): {words: number; overlap: number; wrap: boolean} {
	checkCount('split: words', words, 1);
	checkCount('split: overlap', overlap, 0, words - 1);
	return {words, overlap, wrap};
}
