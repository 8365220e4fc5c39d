/** The reader that is trained together with a question encoder, on the passages that the encoder retrieves. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import type {CallOptions, Passage} from '../../core/types.ts';
import type {PassageStore} from '../../corpus/index.ts';
import {exactMatch, f1} from '../../evaluation/answers.ts';
import type {TrainingQuestion} from '../data/mining-options.ts';
import {type QuestionPassages, chunks, questionColumns} from '../reader/questions.ts';
import {shuffled} from '../run/random-order.ts';
import type {QuestionWithPositive} from './questions.ts';
import {type Retrieved, firstNegatives, firstPositives} from './retrieval.ts';

/** Numbers of the best positives and negatives from which those of a step are drawn (Karpukhin et al., 2020, appendix D). */
export const POSITIVES = 5;
const NEGATIVES = 30;

/** Maximum number of tokens per answer in validations. */
const MAX_ANSWER_TOKENS = 10;

export interface JointReaderInputs {
	/** The folder of the model to start from. */
	readonly model: string;
	readonly settings: Binding.NativeReaderTrainingOptions;
	readonly labeler: Binding.NativeWindowLabeler;
	readonly store: PassageStore;
	readonly passagesPerQuestion: number;
	readonly precision: string;
}

export class JointReader {
	readonly #trainer: Binding.NativeReaderTrainer;
	readonly #inputs: JointReaderInputs;

	private constructor(trainer: Binding.NativeReaderTrainer, inputs: JointReaderInputs) {
		this.#trainer = trainer;
		this.#inputs = inputs;
	}

	static async open(inputs: JointReaderInputs, call: CallOptions): Promise<JointReader> {
		const trainer = await callNative(call, async () => native.openReaderTrainer(inputs.model, inputs.settings));
		return new JointReader(trainer, inputs);
	}

	/** Makes a step: for each question, draws a positive in which an answer is found, and negatives, from the passages that were retrieved. */
	async step(
		questions: readonly QuestionWithPositive[],
		retrieved: readonly Retrieved[],
		random: () => number,
		call: CallOptions,
	): Promise<Binding.NativeStepReport> {
		const {store, labeler, passagesPerQuestion} = this.#inputs;
		const pool = Math.max(NEGATIVES, passagesPerQuestion - 1);
		const positives = retrieved.map((list, i) => [...new Set([...firstPositives(list, POSITIVES), questions[i]!.positive])]);
		const negatives = retrieved.map(list => shuffled(firstNegatives(list, pool), random, passagesPerQuestion - 1));
		const passages = await passagesById(store, [...positives, ...negatives].flat());
		const texts = (ids: readonly string[]): Passage[] => ids.map(id => passages.get(id)!);
		const withPositives = questions.map(({text, answers = []}, i) => ({
			question: text,
			answers,
			passages: texts(positives[i]!),
		}));
		const trainable = await passagesWithAnswer(withPositives, labeler, call);
		const batch = withPositives.map(({question, answers}, i) => {
			// The known positive is the last one. It is used only if no other can be.
			const all = trainable[i]!;
			const [positive] = all.length > 1 ? shuffled(withoutLastUnless(all, retrieved[i]!, questions[i]!.positive), random, 1) : all;
			return {question, answers, passages: [positive!, ...distinctFrom(positive!, texts(negatives[i]!))]};
		});
		for (const chunk of chunks(batch, question => question)) {
			callSync(() => this.#trainer.addQuestions(questionColumns(chunk)));
			await yieldIfOverBudget();
		}
		return callNative(call, async control => this.#trainer.step(control));
	}

	/** Answers questions from the best passages, and returns the sums of their exact matches and of their F1. */
	async answer(
		questions: readonly TrainingQuestion[],
		retrieved: readonly Retrieved[],
		call: CallOptions,
	): Promise<{readonly matches: number; readonly f1: number}> {
		const best = retrieved.map(({ids}) => ids.slice(0, this.#inputs.passagesPerQuestion));
		const passages = await passagesById(this.#inputs.store, best.flat());
		const withPassages = questions.map(({text, answers = []}, i) => ({
			question: text,
			answers,
			passages: best[i]!.map(id => passages.get(id)!),
		}));
		const sums = {matches: 0, f1: 0};
		for (const chunk of chunks(withPassages, question => question)) {
			const columns = questionColumns(chunk);
			const found = await callNative(call, async control => this.#trainer.answer(columns, MAX_ANSWER_TOKENS, control));
			for (const [i, {answers}] of chunk.entries()) {
				await yieldIfOverBudget();
				sums.matches += Number(exactMatch(found[i]!, answers));
				sums.f1 += f1(found[i]!, answers);
			}
		}
		return sums;
	}

	async write(folder: string): Promise<void> {
		await callNative({}, async () => this.#trainer.write(folder, this.#inputs.precision));
	}

	async save(path: string): Promise<void> {
		await callNative({}, async () => this.#trainer.save(path, ''));
	}

	async load(path: string): Promise<void> {
		await callNative({}, async () => this.#trainer.load(path));
	}

	close(): void {
		this.#trainer.close();
	}
}

/** Drops the known positive, which is the last passage, unless it is one of the best retrieved positives. */
function withoutLastUnless(passages: QuestionPassages['passages'], retrieved: Retrieved, known: string): QuestionPassages['passages'] {
	return firstPositives(retrieved, POSITIVES).includes(known) ? passages : passages.slice(0, -1);
}

/** Drops passages with the text of the positive, and those whose text occurs before. */
function distinctFrom(positive: {readonly text: string}, passages: readonly Passage[]): Passage[] {
	const seen = new Set([positive.text]);
	return passages.filter(({text}) => {
		const isNew = !seen.has(text);
		seen.add(text);
		return isNew;
	});
}

/** Keeps the passages of each question that contain an answer which training can use. */
export async function passagesWithAnswer(
	questions: readonly QuestionPassages[],
	labeler: Binding.NativeWindowLabeler,
	{signal}: CallOptions,
): Promise<ReadonlyArray<QuestionPassages['passages']>> {
	const kept: Array<QuestionPassages['passages']> = [];
	for (const chunk of chunks(questions, question => question)) {
		const columns = questionColumns(chunk);
		const hasAnswer = await callNative({signal}, async control => labeler.withAnswer(columns, control));
		let passage = 0;
		for (const {passages} of chunk) {
			kept.push(passages.filter(() => hasAnswer[passage++] === 1));
		}
	}
	return kept;
}

/** Reads passages by their ids. */
export async function passagesById(store: PassageStore, ids: readonly string[]): Promise<Map<string, Passage>> {
	const passages = await store.get([...new Set(ids)]);
	return new Map(passages.map(passage => [passage.id, passage]));
}
