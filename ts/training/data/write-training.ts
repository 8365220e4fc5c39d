/** Writes training examples as DPR's training files. */
import {cancelOnAbort} from '../../core/abort.ts';
import {awaitUnlessAborted} from '../../core/callbacks.ts';
import {checkBoolean, checkIterable, checkOneOf, checkString} from '../../core/checks.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {callNative, native} from '../../core/native/native.ts';
import {type OptionNames, callNames, checkOptions, optionNames} from '../../core/options.ts';
import type {CallOptions} from '../../core/types.ts';
import {type TrainingExample, type TrainingPassage, checkExample} from './training-example.ts';

/** The options of `writeTrainingExamples`. */
export interface WriteTrainingOptions extends CallOptions {
	/** One JSON array, as in DPR's files, or JSON lines. @default 'jsonl' for names that end with .jsonl or .jsonl.gz, or else 'json' */
	readonly format?: 'json' | 'jsonl' | undefined;
	/** Whether to compress the file with gzip. @default true for names that end with .gz */
	readonly gzip?: boolean | undefined;
}

const writeOptions: OptionNames = optionNames<WriteTrainingOptions>({...callNames, format: true, gzip: true});

/** Number of UTF-16 code units of JSON that are passed to the addon in one call. Copying them takes well under a millisecond. */
const FLUSH_LENGTH = 1 << 18;

/**
Writes training examples to a file that DPR, and `readTrainingExamples`, can read, and resolves to their number. Reading the file gives equal
examples; an empty title or id counts as none. The examples may come from an array, a generator or a stream. The file replaces an existing one
when it is complete; if the call fails or is aborted, the existing file is unchanged. Progress counts examples.

@example
```
await writeTrainingExamples('./train.json.gz', mineTrainingExamples(readQuestions('./train.jsonl'), './psgs_w100.tsv.gz'));
```
*/
export async function writeTrainingExamples(
	path: string,
	examples: Iterable<TrainingExample> | AsyncIterable<TrainingExample>,
	options: WriteTrainingOptions = {},
): Promise<number> {
	checkString('path', path);
	checkIterable('examples', examples, 'training examples');
	checkOptions('writeTrainingExamples', options, writeOptions);
	const {signal, onProgress} = options;
	const {format = /\.jsonl(?:\.gz)?$/iu.test(path) ? 'jsonl' : 'json', gzip = /\.gz$/iu.test(path)} = options;
	checkOneOf('format', format, ['json', 'jsonl']);
	checkBoolean('gzip', gzip);
	signal?.throwIfAborted();
	// This control belongs to the file as long as it is open, so that aborting also ends the wait for the reader of a FIFO.
	const control = new native.Control();
	const removeListener = signal && cancelOnAbort(signal, control);
	try {
		const file = await callNative({signal}, async () => native.createTextFile(path, gzip, control));
		try {
			const [start, separator, end] = format === 'json' ? ['[\n', ',\n', '\n]\n'] : ['', '\n', '\n'];
			let text = start;
			let count = 0;
			const flush = async (): Promise<void> => {
				const piece = text;
				text = '';
				await callNative({signal}, async () => file.push(piece));
				await awaitUnlessAborted(onProgress?.({done: count, total: 0}), signal);
			};
			for await (const example of examples) {
				signal?.throwIfAborted();
				checkExample(`examples[${count}]`, example);
				text += `${count === 0 ? '' : separator}${JSON.stringify(jsonOf(example))}`;
				count += 1;
				if (text.length >= FLUSH_LENGTH) {
					await flush();
				}
				await yieldIfOverBudget();
			}
			text += count === 0 && format === 'jsonl' ? '' : end;
			await flush();
			await callNative({signal}, async () => file.finish());
			return count;
		} finally {
			await file.discard();
		}
	} finally {
		removeListener?.();
	}
}

/** Returns the JSON object of DPR for an example. */
function jsonOf({dataset, question, answers, positives, hardNegatives, negatives}: TrainingExample): object {
	return {
		dataset,
		question,
		answers,
		positive_ctxs: positives.map(contextOf),
		negative_ctxs: negatives.map(contextOf),
		hard_negative_ctxs: hardNegatives.map(contextOf),
	};
}

function contextOf({id, title = '', text, score}: TrainingPassage): object {
	return {title, text, score, passage_id: id};
}
