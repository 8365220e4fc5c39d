/** Trains an extractive reader. */
import {resolve} from 'node:path';
import {checkCount, checkIterable, checkString} from '../../core/checks.ts';
import {callNative, native} from '../../core/native/native.ts';
import {modelOptions, resolveModel} from '../../models/resolve.ts';
import {readModelJson} from '../../onnx/model-files.ts';
import type {TrainingExample} from '../data/training-example.ts';
import {collectExamples} from '../run/examples.ts';
import {makeOutput, modelFingerprint} from '../run/output-folder.ts';
import {identityOf, stepOptions} from '../run/step-options.ts';
import {train} from '../run/train.ts';
import {ReaderBatches} from './batches.ts';
import {answerableExamples, checkReaderExamples, readerExample} from './examples.ts';
import {type CheckedTrainReaderOptions, type TrainReaderOptions, checkedTrainReaderOptions} from './options.ts';
import {TrainableReader} from './trainable-reader.ts';
import type {TrainedReader} from './result.ts';

/**
Trains an extractive reader with the architecture of BERT on questions, answers and passages, as Karpukhin et al. (2020, §6.1) train the
reader of DPR: among the passages of a question, the reader should select the positive, and in it the spans of the answers.

`init` is the model to start from: a folder with `model.safetensors` and `config.json`, or with `model.onnx`, and with `tokenizer.json`; one of
passagekit's models; or a model on the Hugging Face hub. It can be a reader, or an encoder, whose heads for spans and relevance then start from small
random numbers. The trained reader is written to the folder `output`, for `ExtractiveReader.load` (`model.onnx`) and for Hugging Face's library
(`model.safetensors`), which ignores the relevance head.

A positive must contain an accepted answer: the same sequence of words, as decided by `hasAnswer`. All places where one occurs count as
correct. Examples without such a positive are skipped and counted. If a passage does not fit into one input, training uses one window: for
the positive, the first that contains a whole answer; for a negative, the first. Validation examples without a positive or without accepted
answers are skipped.

While it runs, the folder also has a checkpoint. A later call with the same arguments resumes from there, and its result is bit-identical to
that of an uninterrupted run. If the run had already finished, the call returns its result. If another process is training in
the same folder, the call waits for it.

Fails with `ERR_ARGUMENT` if no example of `examples` or of `dev` can be used, if `maxTokens` is more than the model has positions, or if the
folder `output` is that of the model, of another training run, or has other files; with `ERR_MODEL_MISSING` or `ERR_DOWNLOAD` if the model is not
found; with `ERR_MODEL` if it has another architecture; and with `ERR_TRAINING` if the loss or the norm of the gradients is not finite. After `ERR_TRAINING`, the folder holds
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
	const {signal, passagesPerQuestion, maxAnswerTokens} = checked;
	if (checked.dev !== undefined) {
		checkIterable('dev', checked.dev, '{question, answers, positives, hardNegatives, negatives}');
	}
	signal?.throwIfAborted();
	const model = await resolveModel(init, modelOptions({...checked, onProgress: undefined}), 'training');
	const folder = resolve(output);
	await makeOutput(folder, model, [folder]);
	const identifier = await modelFingerprint(model);
	const limits = await inputLimits(model, checked);
	const labeler = await callNative({signal}, async () => native.openWindowLabeler(model, limits.maxTokens, limits.maxQuestionTokens));
	const found = await collectExamples('examples', examples, example => readerExample(example, passagesPerQuestion - 1), signal);
	const usable = await answerableExamples(found, labeler, signal);
	const dev = await collectExamples('dev', checked.dev ?? [], example => readerExample(example), signal);
	checkReaderExamples(usable, dev, checked);
	const batches = new ReaderBatches(usable.examples, checked);
	const settings = {...limits, step: stepOptions(checked, batches.batchCount)};
	const identity = {
		kind: 'reader',
		...limits,
		...identityOf(checked, settings.step),
		passagesPerQuestion,
		maxAnswerTokens,
		model: identifier,
	};
	const {epochs, bestEpoch} = await train(
		{options: checked, folder, written: [folder], identity, examples: [usable.examples, dev.examples]},
		async () => TrainableReader.open({model, folder, settings, batches, dev: dev.examples, options: checked}),
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
export async function inputLimits(
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
