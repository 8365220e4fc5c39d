/** The reader that is trained together with an encoder of questions, on the passages that the encoder retrieves. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type Binding, callNative, callSync, native} from '../../core/native/native.ts';
import type {CallOptions, Passage} from '../../core/types.ts';
import type {PassageStore} from '../../corpus/index.ts';
import {exactMatch, f1} from '../../evaluation/answers.ts';
import type {TrainingQuestion} from '../data/mining-options.ts';
import {type QuestionPassages, chunks, questionColumns} from '../reader/questions.ts';
import {shuffled} from '../run/random-order.ts';
import type {QuestionWithPositive} from './questions.ts';
import {type Retrieved, firstPassages} from './retrieval.ts';

/** Numbers of the best positive and negative passages from which those of a step are drawn (Karpukhin et al., 2020, appendix D). */
const POSITIVES = 5;
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
		const positives = retrieved.map((list, i) => [...new Set([questions[i]!.positive, ...firstPassages(list, true, POSITIVES)])]);
		const negatives = retrieved.map(list => shuffled(firstPassages(list, false, NEGATIVES), random, passagesPerQuestion - 1));
		const passages = await passagesById(store, [...positives, ...negatives].flat());
		const withPositives = questions.map(({text, answers = []}, i) => ({
			question: text,
			answers,
			passages: positives[i]!.map(id => passages.get(id)!),
		}));
		const accepted = await passagesWithAnswer(withPositives, labeler, call);
		const batch = withPositives.map(({question, answers}, i) => ({
			question,
			answers,
			passages: [...shuffled(accepted[i]!, random, 1), ...negatives[i]!.map(id => passages.get(id)!)],
		}));
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
