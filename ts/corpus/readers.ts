import {checkBoolean, checkFunction, checkOneOf, checkString} from '../core/checks.ts';
import {type Binding, callNative, native} from '../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../core/options.ts';
import {
	type PassageFormat,
	type ReadLimits,
	type SplitOptions,
	checkedFileOptions,
	checkedReadLimits,
	limitNames,
} from '../core/passage-source.ts';
import type {CallOptions, Passage, Question} from '../core/types.ts';

export {type PassageFormat, passageFormats} from '../core/passage-source.ts';

/**
Files of questions. `auto` looks at the content.

- `tsv`: `id \t text`.
- `beir`: JSON lines with `_id`, `text`.
- `dpr-csv`: `question \t ["answer", …]`, as DPR's `nq-test.qa.csv`; ids are row numbers from 0.
- `dpr-jsonl`: JSON lines with `question` and `answers` or `answer`, `id` where there is one.
- `dpr-json`: one array of the same objects, as DPR's training files.
- `squad`: SQuAD 1.1 or 2.0; unanswerable questions have no answers.
- `trec`: TREC topics; number and title.
- `pubmedqa`: PubMedQA; the answer is yes, no or maybe.
*/
export type QuestionFormat = 'auto' | 'tsv' | 'beir' | 'dpr-csv' | 'dpr-jsonl' | 'dpr-json' | 'squad' | 'trec' | 'pubmedqa';

export const questionFormats: readonly QuestionFormat[] = [
	'auto',
	'tsv',
	'beir',
	'dpr-csv',
	'dpr-jsonl',
	'dpr-json',
	'squad',
	'trec',
	'pubmedqa',
];

interface ReadOptions extends CallOptions {
	/** Pass over lines that are not as expected, instead of refusing the file; `onSkipped` tells how many. @default false */
	readonly skipBadLines?: boolean | undefined;
	/** Called at the end with the number of skipped lines. If it throws, the iteration ends with that error. */
	readonly onSkipped?: ((lines: number) => void) | undefined;
}

export interface ReadPassagesOptions extends ReadOptions, ReadLimits {
	/** @default 'auto' */
	readonly format?: PassageFormat | undefined;
	/** Split documents into passages of so many words. @default for `text` only */
	readonly split?: SplitOptions | undefined;
}

export interface ReadQuestionsOptions extends ReadOptions, Pick<ReadLimits, 'maxDocumentBytes'> {
	/** @default 'auto' */
	readonly format?: QuestionFormat | undefined;
}

const readNames = {...callNames, skipBadLines: true, onSkipped: true} as const;
const passageOptions: OptionNames = optionNames<ReadPassagesOptions>({...readNames, ...limitNames, format: true, split: true});
const questionOptions: OptionNames = optionNames<ReadQuestionsOptions>({...readNames, format: true, maxDocumentBytes: true});

/** Read in one call; a batch becomes objects in well under a millisecond. */
const BATCH = 512;

/**
Streams passages from a file or folder. An invalid line is rejected with file, line and what was expected (`ERR_FORMAT`).
Progress counts bytes of the file. A FIFO, a pipe or `/dev/stdin` is read as data arrives, and an aborted `signal` ends the
wait for it.
*/
export async function* readPassages(path: string, options: ReadPassagesOptions = {}): AsyncGenerator<Passage, void, undefined> {
	checkString('path', path);
	checkOptions('readPassages', options, passageOptions);
	checkSkipped(options);
	const file = checkedFileOptions(options);
	const reader = await callNative(options, control => native.openPassages(path, file, control));
	yield* batches(reader, options);
}

/** Streams questions from a file, like `readPassages`. */
export async function* readQuestions(path: string, options: ReadQuestionsOptions = {}): AsyncGenerator<Question, void, undefined> {
	checkString('path', path);
	checkOptions('readQuestions', options, questionOptions);
	checkSkipped(options);
	const {format = 'auto', skipBadLines = false, maxDocumentBytes} = options;
	checkOneOf('format', format, questionFormats);
	checkBoolean('skipBadLines', skipBadLines);
	const file = {format, skipBadLines, ...checkedReadLimits({maxDocumentBytes})};
	const reader = await callNative(options, control => native.openQuestions(path, file, control));
	yield* batches(reader, options);
}

function checkSkipped({onSkipped}: ReadOptions): void {
	if (onSkipped !== undefined) {
		checkFunction('onSkipped', onSkipped);
	}
}

interface BatchReader<T> {
	next(count: number, control: Binding.Control): Promise<T[]>;
	readonly skipped: number;
}

async function* batches<T>(reader: BatchReader<T>, {signal, onProgress, onSkipped}: ReadOptions): AsyncGenerator<T, void, undefined> {
	for (;;) {
		const batch = await callNative({signal, onProgress}, control => reader.next(BATCH, control));
		yield* batch;
		if (batch.length < BATCH) {
			await onSkipped?.(reader.skipped);
			return;
		}
	}
}
