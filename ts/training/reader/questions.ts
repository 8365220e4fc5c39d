/** Questions with their passages, in the columns that native code takes. */
import type {Binding} from '../../core/native/native.ts';
import type {TrainingExample, TrainingPassage} from '../data/index.ts';

/** Number of passages after which questions are passed to native code. Copying that many blocks the event loop for less than a millisecond. */
const PASSAGES_PER_CALL = 256;

/** A question with accepted answers, and the passages to read. */
export interface QuestionPassages extends Pick<TrainingExample, 'question' | 'answers'> {
	readonly passages: readonly TrainingPassage[];
}

/** Converts questions to columns. */
export function questionColumns(list: readonly QuestionPassages[]): Binding.NativeReaderQuestions {
	const ends = (lengths: readonly number[]): Uint32Array => {
		let end = 0;
		return Uint32Array.from(lengths, length => (end += length));
	};
	const passages = list.flatMap(question => question.passages);
	return {
		questions: list.map(({question}) => question),
		answerEnds: ends(list.map(({answers}) => answers.length)),
		answers: list.flatMap(({answers}) => answers),
		passageEnds: ends(list.map(question => question.passages.length)),
		titles: passages.map(({title = ''}) => title),
		texts: passages.map(({text}) => text),
	};
}

/** Splits questions into parts with few passages. */
export function* parts(list: readonly QuestionPassages[]): Generator<readonly QuestionPassages[]> {
	let [from, count] = [0, 0];
	for (const [i, {passages}] of list.entries()) {
		count += passages.length;
		if (count >= PASSAGES_PER_CALL || i + 1 === list.length) {
			yield list.slice(from, i + 1);
			[from, count] = [i + 1, 0];
		}
	}
}
