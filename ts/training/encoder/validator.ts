/** Validates an encoder during training: ranks the first positive of each validation example among all their passages, as DPR does. */
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type Binding, callNative, callSync} from '../../core/native/native.ts';
import type {CallOptions} from '../../core/types.ts';
import type {TrainingExample} from '../data/index.ts';
import {PassageList} from '../data/passage-list.ts';
import type {CheckedTrainEncoderOptions} from './options.ts';
import type {EncoderValidation} from './result.ts';

/** Number of passages after which texts are passed to native code. */
const PASSAGES_PER_CALL = 256;

/** The validation examples of a trainer, and how they are ranked. */
export class Validator {
	readonly #trainer: Binding.NativeEncoderTrainer;
	readonly #passages = new PassageList();
	#questions = 0;

	constructor(trainer: Binding.NativeEncoderTrainer) {
		this.#trainer = trainer;
	}

	/** Adds the questions and passages of examples. A passage that several examples have is ranked once. */
	async add(examples: readonly TrainingExample[]): Promise<void> {
		let [from, passages] = [0, 0];
		for (const [i, {positives, hardNegatives, negatives}] of examples.entries()) {
			passages += positives.length + hardNegatives.length + negatives.length;
			if (passages >= PASSAGES_PER_CALL || i + 1 === examples.length) {
				this.#addSome(examples.slice(from, i + 1));
				[from, passages] = [i + 1, 0];
				await yieldIfOverBudget();
			}
		}
	}

	#addSome(examples: readonly TrainingExample[]): void {
		const ignored: number[] = [];
		const ends: number[] = [];
		const gold: number[] = [];
		for (const {positives, hardNegatives, negatives} of examples) {
			const [first, ...others] = positives.map(this.#passages.add);
			gold.push(first!);
			ignored.push(...others.filter(other => other !== first));
			ends.push(ignored.length);
			[...hardNegatives, ...negatives].forEach(this.#passages.add);
		}
		const {titles, texts} = this.#passages.takeNew();
		const questions = examples.map(({question}) => question);
		this.#questions += questions.length;
		callSync(() => {
			this.#trainer.addValidationPassages(titles, texts);
			this.#trainer.addValidationQuestions(questions, Uint32Array.from(gold), Uint32Array.from(ends), Uint32Array.from(ignored));
		});
	}

	/** Ranks the first positives with the current parameters of the trainer. */
	async validate({signal}: CallOptions): Promise<EncoderValidation> {
		const ranks = await callNative({signal}, async control => this.#trainer.validate(control));
		const top = (k: number): number => ranks.filter(rank => rank <= k).length / ranks.length;
		return {
			averageRank: ranks.reduce((sum, rank) => sum + rank, 0) / ranks.length,
			topK: {1: top(1), 5: top(5), 20: top(20)},
			questions: this.#questions,
			passages: this.#passages.size,
		};
	}
}

/** Whether a validation is better than an earlier one by a measure. If both are equal, the average rank decides. */
export function isBetter(validation: EncoderValidation, than: EncoderValidation, measure: CheckedTrainEncoderOptions['bestBy']): boolean {
	if (measure !== 'averageRank') {
		const k = Number(measure.slice('top'.length)) as keyof EncoderValidation['topK'];
		const difference = validation.topK[k] - than.topK[k];
		if (difference !== 0) {
			return difference > 0;
		}
	}
	return validation.averageRank < than.averageRank;
}
