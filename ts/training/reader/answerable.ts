/** Finds the examples that a reader can be trained on. */
import {type Binding, callNative} from '../../core/native/native.ts';
import type {TrainingExample} from '../data/index.ts';
import type {UsableExamples} from '../run/examples.ts';
import {parts, questionColumns} from './questions.ts';

/** Keeps the positives that contain an answer. Examples that have none are skipped and counted. */
export async function answerableExamples(
	{examples, skipped}: UsableExamples,
	windows: Binding.NativeAnswerWindows,
	signal: AbortSignal | undefined,
): Promise<UsableExamples> {
	const usable: TrainingExample[] = [];
	let number = 0;
	for (const part of parts(examples.map(({question, answers, positives}) => ({question, answers, passages: positives})))) {
		const columns = questionColumns(part);
		const hasAnswer = await callNative({signal}, async control => windows.withAnswer(columns, control));
		let passage = 0;
		for (const {passages} of part) {
			const positives = passages.filter(() => hasAnswer[passage++] === 1);
			if (positives.length > 0) {
				usable.push({...examples[number]!, positives});
			}
			number += 1;
		}
	}
	return {examples: usable, skipped: skipped + examples.length - usable.length};
}
