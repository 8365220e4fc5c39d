/** The examples of a reader. */
import {RetrievalError} from '../../core/errors.ts';
import {type Binding, callNative} from '../../core/native/native.ts';
import type {TrainingExample, TrainingPassage} from '../data/index.ts';
import {passageKey} from '../data/passage-list.ts';
import {type UsableExamples, textsOf} from '../run/examples.ts';
import type {CheckedTrainReaderOptions} from './options.ts';
import {chunks, questionColumns} from './questions.ts';

/**
Copies what a reader uses of an example. Negatives are distinct, and none has the text of a positive. Other negatives are left out if there are
enough hard ones. Returns `undefined` without a positive or an answer.
*/
export function readerExample(
	{question, answers, positives, hardNegatives, negatives}: TrainingExample,
	maxNegatives = Number.POSITIVE_INFINITY,
): TrainingExample | undefined {
	if (positives.length === 0 || answers.length === 0) {
		return undefined;
	}
	const positiveTexts = new Set(positives.map(({text}) => text));
	const seen = new Set<string>();
	const distinct = (passages: readonly TrainingPassage[]): TrainingPassage[] =>
		textsOf(passages).filter(passage => {
			const key = passageKey(passage);
			const isNew = !seen.has(key) && !positiveTexts.has(passage.text);
			seen.add(key);
			return isNew;
		});
	const hard = distinct(hardNegatives);
	return {
		question,
		answers: [...answers],
		positives: textsOf(positives),
		hardNegatives: hard,
		negatives: hard.length < maxNegatives ? distinct(negatives) : [],
	};
}

/** Keeps the positives that contain an answer. Examples that have none are skipped and counted. */
export async function answerableExamples(
	{examples, skipped}: UsableExamples,
	labeler: Binding.NativeWindowLabeler,
	signal: AbortSignal | undefined,
): Promise<UsableExamples> {
	const usable: TrainingExample[] = [];
	let number = 0;
	const questions = ({question, answers, positives}: TrainingExample) => ({question, answers, passages: positives});
	for (const chunk of chunks(examples, questions)) {
		const columns = questionColumns(chunk);
		const hasAnswer = await callNative({signal}, async control => labeler.withAnswer(columns, control));
		let passage = 0;
		for (const {passages} of chunk) {
			const positives = passages.filter(() => hasAnswer[passage++] === 1);
			if (positives.length > 0) {
				usable.push({...examples[number]!, positives});
			}
			number += 1;
		}
	}
	return {examples: usable, skipped: skipped + examples.length - usable.length};
}

/** Fails if a reader cannot be trained on the examples, or if there should be validation examples, but none can be used. */
export function checkReaderExamples(usable: UsableExamples, dev: UsableExamples, options: Pick<CheckedTrainReaderOptions, 'dev'>): void {
	if (usable.examples.length === 0) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`examples: expected some with a positive that contains an answer, got none of ${usable.skipped}`,
		);
	}
	if (!usable.examples.some(({hardNegatives, negatives}) => hardNegatives.length + negatives.length > 0)) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`examples: expected some with negatives, because a reader learns to tell the positive from them, got none of ${usable.examples.length}`,
		);
	}
	if (options.dev !== undefined && dev.examples.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', `dev: expected at least 1 example with a positive and an answer, got none of ${dev.skipped}`);
	}
}
