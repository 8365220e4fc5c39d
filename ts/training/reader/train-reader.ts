/** Trains an extractive reader. */
import {resolve} from 'node:path';
import {checkCount, checkIterable, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {callNative, native} from '../../core/native/native.ts';
import {modelOptions, resolveModel} from '../../models/resolve.ts';
import {readModelJson} from '../../onnx/model-files.ts';
import type {TrainingExample} from '../data/training-example.ts';
import {checkDev, collectExamples} from '../run/examples.ts';
import {makeOutput, modelFingerprint} from '../run/output-folder.ts';
import {identityOf, stepOptions} from '../run/step-options.ts';
import {train} from '../run/train.ts';
import {answerableExamples} from './answerable.ts';
import {ReaderBatches} from './batches.ts';
import {type CheckedTrainReaderOptions, type TrainReaderOptions, checkedTrainReaderOptions} from './options.ts';
import {ReaderTrainee} from './reader-trainee.ts';
import type {TrainedReader} from './result.ts';

/**
Trains an extractive reader with the architecture of BERT on questions, answers and passages, as Karpukhin et al. (2020, §6.1) train the
reader of DPR: among the passages of a question, the reader should select the positive, and in it the spans of the answers.

`init` is the model to start from, as for `trainEncoder`: a reader, or an encoder, whose heads for spans and relevance then start from small
random numbers. The trained reader is written to the folder `output`, for `ExtractiveReader.load` (`model.onnx`) and, without its relevance, for
Hugging Face's library (`model.safetensors`).

A positive must contain an accepted answer: the same sequence of words, as decided by `hasAnswer`. All places where one occurs count as
correct. Examples without such a positive are skipped and counted. If a passage does not fit into one input, training uses one window of it:
of the positive the first with a whole answer, of another passage the first.

While it runs, the folder also has a checkpoint. A later call with the same arguments resumes from there, and its result is bit-identical to
that of an uninterrupted run. If the run had already finished, the call returns its result.

Fails with `ERR_ARGUMENT` if no example can be used or if the folder is that of another training run, with `ERR_MODEL` if the model has
another architecture, and with `ERR_TRAINING` if the loss or the norm of the gradients is not finite. After `ERR_TRAINING`, the folder holds
the best reader so far, or with no validation examples that of the last finished epoch.

@example
```
const {bestEpoch, epochs} = await trainReader(readTrainingExamples('./train.dpr.json'), 'minilm-encoder', './my-reader', {
	dev: readTrainingExamples('./dev.dpr.json'),
});
epochs[bestEpoch]?.validation?.exactMatch;
//=> 0.412
```
*/
export async function trainReader(
	examples: Iterable<TrainingExample> | AsyncIterable<TrainingExample>,
	init: string,
	output: string,
	options: TrainReaderOptions = {},
): Promise<TrainedReader> {
	checkIterable('examples', examples, '{question, answers, positives, hardNegatives, negatives}');
	checkString('init', init);
	checkString('output', output);
	const checked = checkedTrainReaderOptions(options);
	const {signal, passages, maxAnswerTokens} = checked;
	if (checked.dev !== undefined) {
		checkIterable('dev', checked.dev, '{question, answers, positives, hardNegatives, negatives}');
	}
	signal?.throwIfAborted();
	const model = await resolveModel(init, modelOptions({...checked, onProgress: undefined}), 'training');
	const folder = resolve(output);
	await makeOutput(folder, model, [folder]);
	const identifier = await modelFingerprint(model);
	const limits = await inputLimits(model, checked);
	const windows = await callNative({signal}, async () => native.openAnswerWindows(model, limits.maxTokens, limits.maxQuestionTokens));
	const found = await collectExamples('examples', examples, example => example, signal);
	const usable = await answerableExamples(found, windows, signal);
	if (usable.examples.length === 0) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`examples: expected some with a positive that contains an answer, got none of ${usable.skipped}`,
		);
	}
	const dev = await collectExamples('dev', checked.dev ?? [], example => example, signal);
	checkDev(checked.dev, dev);
	const batches = new ReaderBatches(usable.examples, checked);
	const settings = {...limits, step: stepOptions(checked, batches.count)};
	const identity = {
		kind: 'reader',
		...limits,
		...identityOf(checked, settings.step),
		passages,
		maxAnswerTokens,
		model: identifier,
	};
	const {epochs, bestEpoch} = await train({options: checked, folder, identity, examples: [usable.examples, dev.examples]}, async () =>
		ReaderTrainee.open({model, folder, settings, batches, dev: dev.examples, options: checked}),
	);
	return {
		folder,
		bestEpoch,
		epochs,
		steps: epochs.at(-1)?.steps ?? 0,
		examples: usable.examples.length,
		skipped: usable.skipped,
	};
}

/** The maximum numbers of tokens: those of the options, or else those that the model is configured for. */
async function inputLimits(
	model: string,
	options: Pick<CheckedTrainReaderOptions, 'maxTokens' | 'maxQuestionTokens'>,
): Promise<{readonly maxTokens: number; readonly maxQuestionTokens: number}> {
	const config = await readModelJson(model, 'config.json');
	const own = config?.passagekit ?? {};
	const maxTokens = options.maxTokens ?? own['max_tokens'] ?? 256;
	const maxQuestionTokens = options.maxQuestionTokens ?? own['max_question_tokens'] ?? 40;
	checkCount('maxTokens', maxTokens, 8, 1_000_000);
	checkCount('maxQuestionTokens', maxQuestionTokens, 1, 1_000_000);
	return {maxTokens, maxQuestionTokens};
}
