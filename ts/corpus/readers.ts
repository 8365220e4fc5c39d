/** `readPassages` and `readQuestions` stream passages and questions from files. */
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
File formats of questions. `auto` detects the format from the content.

- `tsv`: tab-separated id and text.
- `beir`: JSON lines with `_id` and `text`, as in the BEIR benchmark.
- `dpr-csv`: a question, a tab and a list of answers (`["answer", …]`) per line, as in DPR's `nq-test.qa.csv`; ids are row numbers from 0.
- `dpr-jsonl`: JSON lines with `question`, `answers` or `answer`, and optionally `id`.
- `dpr-json`: one JSON array of the objects of `dpr-jsonl`, as in DPR's training files.
- `squad`: SQuAD 1.1 or 2.0; unanswerable questions have no answers.
- `trec`: TREC topics; the number of a topic is the id, and its title is the text.
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
	/** Skips invalid lines instead of failing with `ERR_FORMAT`; `onSkipped` receives their number. @default false */
	readonly skipBadLines?: boolean | undefined;
	/** Called at the end with the number of skipped lines. If it throws, the iteration ends with that error. */
	readonly onSkipped?: ((lines: number) => void) | undefined;
}

/** The options of `readPassages`. */
export interface ReadPassagesOptions extends ReadOptions, ReadLimits {
	/** Format of the file. @default 'auto' */
	readonly format?: PassageFormat | undefined;
	/** How documents are split into passages. @default {words: 100} for the format `text`; other formats are not split */
	readonly split?: SplitOptions | undefined;
}

/** The options of `readQuestions`. */
export interface ReadQuestionsOptions extends ReadOptions, Pick<ReadLimits, 'maxDocumentBytes'> {
	/** Format of the file. @default 'auto' */
	readonly format?: QuestionFormat | undefined;
	/**
	Property of JSON questions that has the id of the gold passage, or an array of ids; they become `positives`. Fails with `ERR_ARGUMENT` if
	the format is not one of `beir`, `dpr-jsonl` and `dpr-json`. @default gold ids are not read
	*/
	readonly goldField?: string | undefined;
}

const readNames = {...callNames, skipBadLines: true, onSkipped: true} as const;
const passageOptions: OptionNames = optionNames<ReadPassagesOptions>({...readNames, ...limitNames, format: true, split: true});
const questionOptions: OptionNames = optionNames<ReadQuestionsOptions>({
	...readNames,
	format: true,
	goldField: true,
	maxDocumentBytes: true,
});

/** Number of passages or questions per call of the addon. Converting them to JavaScript objects takes well under a millisecond. */
const BATCH_SIZE = 512;

/**
Streams passages from a file or folder. Fails with `ERR_FORMAT` at an invalid line, unless `skipBadLines` is set; the message names the
file, the line and what was expected. Progress counts bytes of the file. A FIFO, a pipe or `/dev/stdin` is read as data arrives, and
aborting `signal` ends the wait for data.

@example
```
for await (const {id, title, text} of readPassages('./psgs_w100.tsv.gz')) {
	console.log(id, title, text.length);
}
```
*/
export async function* readPassages(path: string, options: ReadPassagesOptions = {}): AsyncGenerator<Passage, void, undefined> {
	checkString('path', path);
	checkOptions('readPassages', options, passageOptions);
	checkSkipped(options);
	const file = checkedFileOptions(options);
	const reader = await callNative(options, control => native.openPassages(path, file, control));
	yield* batches(reader, options);
}

/** Streams questions from a file. Errors, progress and pipes are handled as in `readPassages`. */
export async function* readQuestions(path: string, options: ReadQuestionsOptions = {}): AsyncGenerator<Question, void, undefined> {
	checkString('path', path);
	checkOptions('readQuestions', options, questionOptions);
	checkSkipped(options);
	const {format = 'auto', skipBadLines = false, goldField, maxDocumentBytes} = options;
	checkOneOf('format', format, questionFormats);
	checkBoolean('skipBadLines', skipBadLines);
	if (goldField !== undefined) {
		checkString('goldField', goldField);
	}
	const gold = goldField === undefined ? {} : {goldField};
	const file = {format, skipBadLines, ...gold, ...checkedReadLimits({maxDocumentBytes})};
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
		const batch = await callNative({signal, onProgress}, control => reader.next(BATCH_SIZE, control));
		yield* batch;
		if (batch.length < BATCH_SIZE) {
			await onSkipped?.(reader.skipped);
			return;
		}
	}
}
