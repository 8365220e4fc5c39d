/** Trains the encoder of a dense retriever. */
import {join, resolve} from 'node:path';
import {checkIterable, checkString} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {Binding} from '../../core/native/native.ts';
import {configured} from '../../encoders/onnx-encoder.ts';
import {modelOptions, resolveModel} from '../../models/resolve.ts';
import type {TrainingExample} from '../data/training-example.ts';
import {type UsableExamples, collectExamples, textsOf} from '../run/examples.ts';
import {makeOutput, modelFingerprint} from '../run/output-folder.ts';
import {identityOf, stepOptions} from '../run/step-options.ts';
import {train} from '../run/train.ts';
import {Batches} from './batches.ts';
import {TrainableEncoder} from './trainable-encoder.ts';
import {folders} from './folders.ts';
import {type CheckedTrainEncoderOptions, type TrainEncoderOptions, checkedTrainEncoderOptions} from './options.ts';
import type {TrainedEncoder} from './result.ts';

/**
Trains an encoder with the architecture of BERT on questions and passages, as Dense Passage Retriever is trained (Karpukhin et al., 2020,
§3.2): each question's positive should be more similar to it than the passages of the other questions in the batch and than its hard
negatives.

`init` is the model to start from, as for `OnnxEncoder.load`: a folder with `model.safetensors` and `config.json` of Hugging Face's library
(BERT, RoBERTa, XLM-RoBERTa, DistilBERT or MPNet), or with `model.onnx`, and with `tokenizer.json`. The trained encoder is written to the
folder `output`, for `OnnxEncoder.load` (`model.onnx`) and for Hugging Face's library (`model.safetensors`). With `separatePassageEncoder`,
there are two, in the folders `question` and `passage`.

While it runs, the folder also has a checkpoint. A later call with the same arguments resumes from there, and its result is bit-identical to
that of an uninterrupted run. If the run had already finished, the call returns its result. If another process is training in
the same folder, the call waits for it.

Fails with `ERR_ARGUMENT` if there are too few examples or if the folder is that of another training run, with `ERR_MODEL` if the model has
another architecture, and with `ERR_TRAINING` if the loss, the norm of the gradients or a vector is not finite. After `ERR_TRAINING`, the folder holds
the best encoder so far, or with no validation examples that of the last finished epoch.

@example
```
const {bestEpoch, epochs} = await trainEncoder(readTrainingExamples('./train.dpr.json'), 'minilm-encoder', './my-encoder', {
	dev: readTrainingExamples('./dev.dpr.json'),
});
console.log(`average rank ${epochs[0]?.validation?.averageRank} → ${epochs[bestEpoch]?.validation?.averageRank}`);
const encoder = await OnnxEncoder.load('./my-encoder');
```
*/
export async function trainEncoder(
	examples: Iterable<TrainingExample> | AsyncIterable<TrainingExample>,
	init: string,
	output: string,
	options: TrainEncoderOptions = {},
): Promise<TrainedEncoder> {
	checkIterable('examples', examples, '{question, answers, positives, hardNegatives, negatives}');
	checkString('init', init);
	checkString('output', output);
	const checked = checkedTrainEncoderOptions(options);
	const {signal, separatePassageEncoder, hardNegatives, negatives, inBatch, repeat} = checked;
	if (checked.dev !== undefined) {
		checkIterable('dev', checked.dev, '{question, answers, positives, hardNegatives, negatives}');
	}
	signal?.throwIfAborted();
	const model = await resolveModel(init, modelOptions({...checked, onProgress: undefined}), 'training');
	const folder = resolve(output);
	await makeOutput(folder, model, [folder, join(folder, 'question'), join(folder, 'passage')]);
	const written = Object.values(folders(folder, separatePassageEncoder));
	const usable = await collectExamples('examples', examples, example => reduced(example, checked), signal);
	const dev = await collectExamples('dev', checked.dev ?? [], example => reduced(example, {repeat: {}}), signal);
	const batches = new Batches(usable.examples, checked);
	checkDev(checked, dev);
	const settings = await nativeOptions(model, checked, batches.batchCount);
	const identity = {
		kind: 'encoder',
		...settings,
		...identityOf(checked, settings.step),
		hardNegatives,
		negatives,
		inBatch,
		repeat,
		bestBy: checked.bestBy,
		separatePassageEncoder,
		model: await modelFingerprint(model),
	};
	const {epochs, bestEpoch} = await train(
		{options: checked, folder, written, identity, examples: [usable.examples, dev.examples]},
		async () => TrainableEncoder.open({model, folder, settings, batches, dev: dev.examples, options: checked}),
	);
	return {
		...folders(folder, separatePassageEncoder),
		bestEpoch,
		epochs,
		steps: epochs.at(-1)?.steps ?? 0,
		examples: usable.examples.length,
		skipped: usable.skipped,
	};
}

/** Copies what training uses of an example: no answers, and no negatives of kinds that are not drawn. Returns `undefined` without a positive. */
function reduced(
	{question, positives, hardNegatives, negatives, dataset}: TrainingExample,
	options: Pick<CheckedTrainEncoderOptions, 'repeat'> & Partial<Pick<CheckedTrainEncoderOptions, 'hardNegatives' | 'negatives'>>,
): TrainingExample | undefined {
	if (positives.length === 0) {
		return undefined;
	}
	return {
		question,
		answers: [],
		positives: textsOf(positives),
		hardNegatives: options.hardNegatives === 0 ? [] : textsOf(hardNegatives),
		negatives: options.negatives === 0 ? [] : textsOf(negatives),
		...(dataset === undefined || Object.keys(options.repeat).length === 0 ? {} : {dataset}),
	};
}

/** Fails if there should be validation examples, but none can be used. */
function checkDev({dev}: CheckedTrainEncoderOptions, {examples}: UsableExamples): void {
	if (dev !== undefined && examples.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'dev: expected at least 1 example with a positive, got 0');
	}
}

async function nativeOptions(
	model: string,
	options: CheckedTrainEncoderOptions,
	batches: number,
): Promise<Binding.NativeEncoderTrainingOptions> {
	const {pooling, maxTokens, passageForm, tokenTypes} = options;
	const config = await configured(model, {pooling, maxTokens, passageForm, tokenTypes});
	const similarity = options.similarity ?? (config.normalize ? 'cosine' : 'dot');
	return {
		pooling: config.pooling,
		maxTokens: config.maxTokens,
		passageForm: config.passageForm,
		tokenTypes: config.tokenTypes,
		normalize: similarity === 'cosine',
		similarity,
		temperature: options.temperature ?? (similarity === 'cosine' ? 0.05 : 1),
		...(options.loss === 'triplet' ? {margin: options.margin} : {}),
		step: stepOptions(options, batches),
	};
}
