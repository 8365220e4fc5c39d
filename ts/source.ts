/** Where passages come from: files, a store, JavaScript. */
import {checkBoolean, checkCount, checkOneOf, hasMethods, kindOf} from './check.ts';
import {RetrievalError} from './errors.ts';
import {type OptionNames, checkGiven, optionNames} from './options.ts';
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
	if (hasMethods(source, textsOf)) {
		return true;
	}
	if (!hasMethods(source, Symbol.iterator) && !hasMethods(source, Symbol.asyncIterator)) {
		throw new RetrievalError('ERR_ARGUMENT', `source: expected a path, a passage store or an iterable of passages, got ${kindOf(source)}`);
	}
	return false;
}

interface CheckedFileOptions {
	readonly format: PassageFormat;
	readonly skipBadLines: boolean;
	readonly split?: ReturnType<typeof checkedSplit>;
}

/** The names of `FileOptions`, for calls that take more. */
export const fileNames = {format: true, split: true, skipBadLines: true} as const;

const splitOptions: OptionNames = optionNames<SplitOptions>({words: true, overlap: true, wrap: true});

export function checkedFileOptions({format = 'auto', split, skipBadLines = false}: FileOptions): CheckedFileOptions {
	checkOneOf('format', format, passageFormats);
	checkBoolean('skipBadLines', skipBadLines);
	return {format, skipBadLines, ...(split === undefined ? {} : {split: checkedSplit(split)})};
}

export function checkedSplit(split: SplitOptions): {words: number; overlap: number; wrap: boolean} {
	checkGiven('split', split, splitOptions);
	const {words = 100, overlap = 0, wrap = false} = split;
	checkCount('split: words', words, 1);
	checkCount('split: overlap', overlap, 0, words - 1);
	checkBoolean('split: wrap', wrap);
	return {words, overlap, wrap};
}
