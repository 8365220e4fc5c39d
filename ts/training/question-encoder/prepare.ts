/** Finds a positive for each question before training. */
import {createHash} from 'node:crypto';
import {type Binding, callNative} from '../../core/native/native.ts';
import type {CallOptions, Vectors} from '../../core/types.ts';
import type {PassageStore} from '../../corpus/index.ts';
import type {NativeVectorIndex} from '../../dense/native-vector-index.ts';
import type {TrainingQuestion} from '../data/mining-options.ts';
import {passagesById, passagesWithAnswer} from './joint-reader.ts';
import {type QuestionWithPositive, isUsable} from './questions.ts';
import {QUESTIONS_PER_CALL, type Retrieval, firstPositives} from './retrieval.ts';

/** Number of positives per question that are tried. With a reader, the first ones may have no answer that training can use. */
const POSITIVES = 20;

/** What the search for positives needs. */
export interface PositiveSearch {
	readonly trainer: Binding.NativeEncoderTrainer;
	readonly retrieval: Retrieval;
	readonly index: NativeVectorIndex;
	readonly store: PassageStore;
	readonly depth: number;
	/** Finds answers for the reader, if one is trained. */
	readonly labeler: Binding.NativeWindowLabeler | undefined;
}

/** The questions that training can use. */
export interface FoundPositives {
	readonly questions: readonly QuestionWithPositive[];
	/** Identifies what was retrieved for all questions, and so the contents of the index and the texts. */
	readonly fingerprint: string;
}

/**
Keeps the questions with a positive, and selects one as the known positive: the first of the given positives that the index has, or else the best
retrieved passage with an answer. With a reader, it must contain an answer that training can use. Progress counts questions.
*/
export async function withPositives(
	questions: readonly TrainingQuestion[],
	{trainer, retrieval, index, store, depth, labeler}: PositiveSearch,
	call: CallOptions,
): Promise<FoundPositives> {
	const hash = createHash('sha256');
	const kept: QuestionWithPositive[] = [];
	const usable = questions.filter(question => isUsable(question, labeler !== undefined));
	for (let from = 0; from < usable.length; from += QUESTIONS_PER_CALL) {
		const slice = usable.slice(from, from + QUESTIONS_PER_CALL);
		const vectors = await encodeQuestions(trainer, slice, call);
		const retrieved = await retrieval.retrieve(slice, vectors, depth, call);
		hash.update(JSON.stringify(retrieved));
		const found: string[][] = [];
		for (const [i, {positives = []}] of slice.entries()) {
			found.push(positives.length > 0 ? await indexed(index, positives) : firstPositives(retrieved[i]!, POSITIVES));
		}
		const positives = labeler === undefined ? found : await trainable(slice, found, {store, labeler}, call);
		for (const [i, question] of slice.entries()) {
			const [positive] = positives[i]!;
			if (positive !== undefined) {
				kept.push({...question, positive});
			}
		}
		call.onProgress?.({done: from + slice.length, total: usable.length});
	}
	return {questions: kept, fingerprint: hash.digest('hex')};
}

/** Encodes at most `QUESTIONS_PER_CALL` questions. */
export async function encodeQuestions(
	trainer: Binding.NativeEncoderTrainer,
	questions: readonly TrainingQuestion[],
	{signal}: CallOptions,
): Promise<Vectors> {
	const texts = questions.map(({text}) => text);
	const data = await callNative({signal}, async control => trainer.encodeQuestions(texts, control));
	return {data, rows: questions.length, dim: data.length / questions.length};
}

/** Returns the first ids that the index has. */
async function indexed(index: NativeVectorIndex, ids: readonly string[]): Promise<string[]> {
	const found: string[] = [];
	for (const id of ids) {
		if (found.length < POSITIVES && (await index.has(id))) {
			found.push(id);
		}
	}
	return found;
}

/** Keeps the passages that contain an answer which the training of a reader can use. */
async function trainable(
	questions: readonly TrainingQuestion[],
	found: ReadonlyArray<readonly string[]>,
	{store, labeler}: {readonly store: PassageStore; readonly labeler: Binding.NativeWindowLabeler},
	call: CallOptions,
): Promise<string[][]> {
	const passages = await passagesById(store, found.flat());
	const withPassages = questions.map(({text, answers = []}, i) => ({
		question: text,
		answers,
		passages: found[i]!.map(id => passages.get(id)!),
	}));
	const accepted = await passagesWithAnswer(withPassages, labeler, call);
	return withPassages.map(({passages: all}, i) => found[i]!.filter((_, at) => accepted[i]!.includes(all[at]!)));
}
