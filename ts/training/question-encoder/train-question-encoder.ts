/** Trains the question encoder for an index whose vectors stay as they are. */
import {join, resolve} from 'node:path';
import {checkInstance, checkIterable, checkObject, checkString, isInstance, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type Binding, callNative, native} from '../../core/native/native.ts';
import {nativeTexts} from '../../core/native/texts.ts';
import {PassageStore} from '../../corpus/index.ts';
import {FlatIndex, type HnswIndex} from '../../dense/index.ts';
import {NativeVectorIndex} from '../../dense/native-vector-index.ts';
import {configured} from '../../encoders/onnx-encoder.ts';
import {modelOptions, resolveModel} from '../../models/resolve.ts';
import type {TrainingQuestion} from '../data/mining-options.ts';
import {inputLimits} from '../reader/train-reader.ts';
import {makeOutput, modelFingerprint} from '../run/output-folder.ts';
import {EpochOrder} from '../run/random-order.ts';
import {identityOf, stepOptions} from '../run/step-options.ts';
import {train} from '../run/train.ts';
import type {JointReaderInputs} from './joint-reader.ts';
import {type CheckedTrainQuestionEncoderOptions, type TrainQuestionEncoderOptions, checkedTrainQuestionEncoderOptions} from './options.ts';
import {withPositives} from './prepare.ts';
import {asExamples, checkDevQuestions, checkQuestions, collectQuestions, isUsable} from './questions.ts';
import type {TrainedQuestionEncoder} from './result.ts';
import {Retrieval} from './retrieval.ts';
import {TrainableQuestionEncoder} from './trainable-question-encoder.ts';

/** Passages, and an index of their vectors. */
export interface IndexedPassages {
	/** The vectors. Do not change the index while an encoder is trained. */
	readonly index: FlatIndex | HnswIndex;
	/** The texts. Must have all passages of the index. */
	readonly passages: PassageStore;
}

/**
Trains the question encoder for an index with fixed passage vectors, so that no passage needs to be encoded again. With the option `reader`,
also trains a reader, on the passages that the encoder retrieves.

In each step, the current encoder retrieves the best `depth` passages for each question of a batch. All passages of the batch are compared with
all questions: the loss is the marginal negative log likelihood of a question's positives (Lee et al., 2019), which are the ids in `positives` or,
without them, the retrieved passages that contain one of its `answers`. One positive of each question, the known positive, was found before
training, and is always among the passages. The reader gets one of the best 5 positives and some of the best 30 passages that are not positive
and contain no answer; its loss is that of `trainReader`, and has no gradient with respect to the question encoder. This is our reading of the
joint training of Karpukhin et al. (2020, appendix D).

`init` is the model to start from, as for `trainEncoder`; usually, it is the encoder that made the index. Writes the trained encoder to `output`; with
a reader, writes the models to `output/question-encoder` and `output/reader`. `OnnxEncoder.load` opens the encoder, and the index accepts it.

A question is skipped, and counted, if it has no positive: the index has none of the ids in `positives` or, without them, none of the best `depth`
passages before training contains an answer. With a reader, a positive must contain an answer as whole words within one window.

While it runs, the folder also has a checkpoint. A later call with the same arguments resumes from there, and its result is bit-identical to
that of an uninterrupted run. If the run had already finished, the call returns its result. If another process is training in
the same folder, the call waits for it.

Fails with `ERR_ARGUMENT` if no question has a positive, if `passages` lacks a passage of the index, or if the folder `output` is that of the
model, of another training run, or has other files; with `ERR_DIMENSION` if the vectors of the model and of the index differ in dimension; with
`ERR_MODEL_MISSING` or `ERR_DOWNLOAD` if a model is not found; with `ERR_MODEL` if it has another architecture; and with `ERR_TRAINING` if the loss
or the norm of the gradients is not finite.

@example
```
await using collection = await Collection.open('./my-index');
const index = await collection.flat();
await trainQuestionEncoder(readQuestions('./train.jsonl'), {index, passages: collection.passages}, 'minilm-encoder', './my-question-encoder');

await using encoder = await OnnxEncoder.load('./my-question-encoder');
const hits = await new DenseSearcher({encoder, index}).search('who painted the sea?');
```
*/
export async function trainQuestionEncoder(
	questions: Iterable<TrainingQuestion> | AsyncIterable<TrainingQuestion>,
	corpus: IndexedPassages,
	init: string,
	output: string,
	options: TrainQuestionEncoderOptions = {},
): Promise<TrainedQuestionEncoder> {
	checkIterable('questions', questions, '{id, text, answers?, positives?}');
	const {index, passages} = checkedCorpus(corpus);
	checkString('init', init);
	checkString('output', output);
	const checked = checkedTrainQuestionEncoderOptions(options);
	const {signal, depth, answerKind} = checked;
	if (checked.dev !== undefined) {
		checkIterable('dev', checked.dev, '{id, text, answers?, positives?}');
	}
	signal?.throwIfAborted();
	const download = modelOptions({...checked, onProgress: undefined});
	const model = await resolveModel(init, download, 'training');
	const reader =
		checked.reader === undefined ? undefined : await openReader(await resolveModel(checked.reader, download, 'training'), checked);
	const folder = resolve(output);
	const folders = reader === undefined ? {folder} : {folder: join(folder, 'question-encoder'), readerFolder: join(folder, 'reader')};
	const written = Object.values(folders);
	for (const from of [model, ...(reader === undefined ? [] : [reader.model])]) {
		await makeOutput(folder, from, [folder, ...written]);
	}
	const all = await collectQuestions('questions', questions, signal);
	const allDev = await collectQuestions('dev', checked.dev ?? [], signal);
	const dev = allDev.filter(question => isUsable(question, reader !== undefined));
	checkDevQuestions(dev, checked.dev !== undefined);
	const retrieval = new Retrieval({
		index,
		texts: await nativeTexts(passages),
		answerKind,
		threads: checked.threads,
		efSearch: checked.efSearch,
	});
	const settings = await nativeOptions(model, index, checked);
	const {questions: usable, fingerprint} = await withInitialModel(model, settings(1), index.dim, checked, async trainer =>
		withPositives(
			all,
			{trainer, retrieval, index, store: passages, depth, labeler: reader?.labeler},
			{signal, onProgress: checked.onPreparation},
		),
	);
	checkQuestions(usable, all, depth);
	const order = new EpochOrder([...usable.keys()], checked);
	const encoderSettings = settings(order.batchCount);
	const readerSettings = reader && {
		...reader.limits,
		step: stepOptions({...checked, learningRate: checked.readerLearningRate}, order.batchCount),
	};
	const identity = {
		kind: 'question encoder',
		...encoderSettings,
		...identityOf(checked, encoderSettings.step),
		depth,
		...(checked.efSearch !== undefined && {efSearch: checked.efSearch}),
		answerKind,
		index: {kind: isInstance(index, FlatIndex) ? 'flat' : 'hnsw', size: index.size, similarity: index.similarity, metadata: index.metadata},
		retrieved: fingerprint,
		model: await modelFingerprint(model),
		...(reader && {
			reader: await modelFingerprint(reader.model),
			readerLimits: reader.limits,
			readerLearningRate: checked.readerLearningRate,
			passagesPerQuestion: checked.passagesPerQuestion,
		}),
	};
	const {epochs, bestEpoch} = await train(
		{options: checked, folder, written, identity, examples: [await asExamples(all), await asExamples(allDev)]},
		async () =>
			TrainableQuestionEncoder.open({
				model,
				folders,
				settings: encoderSettings,
				reader:
					reader &&
					({
						...reader,
						settings: readerSettings!,
						store: passages,
						passagesPerQuestion: checked.passagesPerQuestion,
						precision: checked.precision,
					} satisfies JointReaderInputs),
				index,
				retrieval,
				questions: usable,
				dev,
				order,
				options: checked,
			}),
	);
	return {
		...folders,
		bestEpoch,
		epochs,
		steps: epochs.at(-1)?.steps ?? 0,
		questions: usable.length,
		skipped: all.length - usable.length,
	};
}

function checkedCorpus(corpus: IndexedPassages): {readonly index: NativeVectorIndex; readonly passages: PassageStore} {
	checkObject('corpus', corpus, '{index, passages}');
	const {index, passages} = corpus;
	if (!isInstance(index, NativeVectorIndex)) {
		throw new RetrievalError('ERR_ARGUMENT', `corpus: index: expected a FlatIndex or an HnswIndex, got ${kindOf(index)}`);
	}
	checkInstance('corpus: passages', passages, PassageStore);
	return {index, passages};
}

/** Opens what finds the answers for a reader. */
async function openReader(model: string, {signal}: Pick<CheckedTrainQuestionEncoderOptions, 'signal'>) {
	const limits = await inputLimits(model, {});
	const labeler = await callNative({signal}, async () => native.openWindowLabeler(model, limits.maxTokens, limits.maxQuestionTokens));
	return {model, limits, labeler};
}

/** Calls `work` with the model before training. */
async function withInitialModel<T>(
	model: string,
	settings: Binding.NativeEncoderTrainingOptions,
	dim: number,
	{signal}: Pick<CheckedTrainQuestionEncoderOptions, 'signal'>,
	work: (trainer: Binding.NativeEncoderTrainer) => Promise<T>,
): Promise<T> {
	const trainer = await callNative({signal}, async () => native.openEncoderTrainer(model, false, settings));
	try {
		if (trainer.dim !== dim) {
			throw new RetrievalError(
				'ERR_DIMENSION',
				`init: expected vectors of dimension ${dim}, as the index has, got a model of dimension ${trainer.dim}`,
			);
		}
		return await work(trainer);
	} finally {
		trainer.close();
	}
}

/** Returns the native options for a number of batches per epoch. Vectors are compared as the index compares them. */
async function nativeOptions(
	model: string,
	index: NativeVectorIndex,
	options: CheckedTrainQuestionEncoderOptions,
): Promise<(batches: number) => Binding.NativeEncoderTrainingOptions> {
	const {pooling, normalize: isNormalized, maxTokens} = options;
	const config = await configured(model, {pooling, normalize: isNormalized, maxTokens});
	const normalize = config.normalize || index.similarity === 'cosine';
	const {encoder} = index.metadata;
	return batches => ({
		pooling: config.pooling,
		maxTokens: config.maxTokens,
		passageForm: config.passageForm,
		tokenTypes: config.tokenTypes,
		normalize,
		similarity: index.similarity === 'l2' ? 'l2' : normalize ? 'cosine' : 'dot',
		temperature: options.temperature ?? (normalize ? 0.05 : 1),
		...(encoder === undefined ? {} : {passageEncoder: encoder}),
		step: stepOptions(options, batches),
	});
}
