/** Streams training examples from DPR's training files. */
import {checkBoolean, checkCount, checkFunction, checkStrings, isArray, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {callNative, native} from '../../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import {type ReadLimits, checkedReadLimits} from '../../core/passage-source.ts';
import type {CallOptions} from '../../core/types.ts';
import type {TrainingExample} from './training-example.ts';

/** The options of `readTrainingExamples`. */
export interface ReadTrainingOptions extends CallOptions, Pick<ReadLimits, 'maxDocumentBytes'> {
	/** Maximum number of examples, of all files together. @default all */
	readonly limit?: number | undefined;
	/** Maximum number of positives per example, from the start of their list. @default all */
	readonly maxPositives?: number | undefined;
	/**
	Maximum number of hard negatives per example, from the start of their list. DPR's files have up to 100 or more, of which training uses one
	or two. Converting the others to JavaScript objects takes time. @default all
	*/
	readonly maxHardNegatives?: number | undefined;
	/** Maximum number of other negatives per example, from the start of their list. @default all */
	readonly maxNegatives?: number | undefined;
	/** Skips invalid examples instead of failing with `ERR_FORMAT`; `onSkipped` receives their number. @default false */
	readonly skipBadLines?: boolean | undefined;
	/** Called at the end with the number of skipped examples. If it throws, the iteration ends with that error. */
	readonly onSkipped?: ((examples: number) => void) | undefined;
}

const readOptions: OptionNames = optionNames<ReadTrainingOptions>({
	...callNames,
	maxDocumentBytes: true,
	limit: true,
	maxPositives: true,
	maxHardNegatives: true,
	maxNegatives: true,
	skipBadLines: true,
	onSkipped: true,
});

/** Maximum number of examples per call of the addon. */
const BATCH_SIZE = 256;
/** A batch ends when its strings have this number of bytes. Converting them to JavaScript objects takes well under a millisecond. */
const BATCH_BYTES = 1 << 16;
/** Stands for no maximum. */
const ALL = 0xff_ff_ff_ff;

/**
Streams training examples from files of DPR: a JSON array, or JSON lines, of objects with `question`, `answers`, `positive_ctxs`,
`hard_negative_ctxs`, `negative_ctxs` and `dataset`. Passages have `text`, `title`, `score`, and `passage_id` or `psg_id`. Only `question`,
`positive_ctxs` and the `text` of passages are required; other properties are ignored. Files may be compressed with gzip, and are read one
example at a time, so they may be larger than memory. Fails with `ERR_FORMAT` at an invalid example, unless `skipBadLines` is set; the
message has the file, the line, the position of the example, and what was expected. Progress counts bytes of the current file.

@example
```
for await (const {question, positives, hardNegatives} of readTrainingExamples('./biencoder-nq-train.json.gz', {maxHardNegatives: 1})) {
	console.log(question, positives[0]?.title, hardNegatives[0]?.title);
}
```
*/
export async function* readTrainingExamples(
	paths: string | readonly string[],
	options: ReadTrainingOptions = {},
): AsyncGenerator<TrainingExample, void, undefined> {
	const files = checkedPaths(paths);
	checkOptions('readTrainingExamples', options, readOptions);
	const {signal, onProgress, onSkipped, limit, skipBadLines = false, maxDocumentBytes} = options;
	const {maxPositives = ALL, maxHardNegatives = ALL, maxNegatives = ALL} = options;
	checkBoolean('skipBadLines', skipBadLines);
	for (const [name, value] of Object.entries({limit, maxPositives, maxHardNegatives, maxNegatives})) {
		if (value !== undefined) {
			checkCount(name, value, 0);
		}
	}
	if (onSkipped !== undefined) {
		checkFunction('onSkipped', onSkipped);
	}
	const {maxDocumentBytes: maxBytes} = checkedReadLimits({maxDocumentBytes});
	const reading = {skipBadLines, maxDocumentBytes: maxBytes, maxPositives, maxHardNegatives, maxNegatives};
	let remaining = limit ?? Number.POSITIVE_INFINITY;
	let skipped = 0;
	for (const path of files) {
		if (remaining === 0) {
			break;
		}
		const reader = await callNative({signal}, control => native.openTrainingFile(path, reading, control));
		for (;;) {
			const count = Math.min(BATCH_SIZE, remaining);
			const batch = await callNative({signal, onProgress}, control => reader.next(count, BATCH_BYTES, control));
			if (batch.length === 0) {
				break;
			}
			remaining -= batch.length;
			yield* batch;
		}
		skipped += reader.skipped;
	}
	await onSkipped?.(skipped);
}

function checkedPaths(paths: string | readonly string[]): readonly string[] {
	if (typeof paths === 'string') {
		return [paths];
	}
	if (!isArray(paths) || paths.length === 0) {
		const got = isArray(paths) ? 'an empty one' : kindOf(paths);
		throw new RetrievalError('ERR_ARGUMENT', `paths: expected a path or an array of paths, got ${got}`);
	}
	checkStrings('paths', paths);
	return [...paths];
}
