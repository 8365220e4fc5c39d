/** The questions that a question encoder is trained on, or validated with. */
import {RetrievalError} from '../../core/errors.ts';
import {yieldIfOverBudget} from '../../core/event-loop.ts';
import {type TrainingQuestion, checkTrainingQuestion} from '../data/mining-options.ts';
import type {TrainingExample} from '../data/training-example.ts';

/** A question with a passage that is known to be positive. */
export interface QuestionWithPositive extends TrainingQuestion {
	/** A positive. It is compared with the question in every step, even if it is not retrieved. */
	readonly positive: string;
}

/** Copies the questions. Fails with `ERR_ARGUMENT` for an invalid one. */
export async function collectQuestions(
	what: string,
	from: Iterable<TrainingQuestion> | AsyncIterable<TrainingQuestion>,
	signal: AbortSignal | undefined,
): Promise<readonly TrainingQuestion[]> {
	const questions: TrainingQuestion[] = [];
	for await (const question of from) {
		signal?.throwIfAborted();
		await yieldIfOverBudget();
		checkTrainingQuestion(`${what}[${questions.length}]`, question);
		const {id, text, answers = [], positives = []} = question;
		questions.push({id, text, answers: [...answers], positives: [...positives]});
	}
	return questions;
}

/** Whether positives of a question can be found: it has their ids, or answers. A reader needs answers. */
export const isUsable = ({answers = [], positives = []}: TrainingQuestion, hasReader: boolean): boolean =>
	answers.length > 0 || (positives.length > 0 && !hasReader);

/** Returns questions in the form of examples, for the fingerprint of a training run. */
export async function asExamples(questions: readonly TrainingQuestion[]): Promise<TrainingExample[]> {
	const examples: TrainingExample[] = [];
	for (const {text, answers = [], positives = []} of questions) {
		await yieldIfOverBudget();
		examples.push({
			question: text,
			answers: [...answers],
			positives: positives.map(id => ({text: id})),
			hardNegatives: [],
			negatives: [],
		});
	}
	return examples;
}

/** Fails if there are no questions to train on. */
export function checkQuestions(usable: readonly unknown[], questions: readonly unknown[], depth: number): void {
	if (usable.length === 0) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`questions: expected at least 1 question with a positive (an id in positives that the index has, or an answer in its ${depth} best passages), got 0 of ${questions.length}`,
		);
	}
}

/** Fails if there are no questions to validate with although there should be. */
export function checkDevQuestions(dev: readonly unknown[], hasDev: boolean): void {
	if (hasDev && dev.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'dev: expected at least 1 question with answers or positives, got none');
	}
}
