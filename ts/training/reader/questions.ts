/** Questions with their passages, in the columns that native code takes. */
import type {Binding} from '../../core/native/native.ts';
import type {TrainingExample, TrainingPassage} from '../data/index.ts';

/** Numbers of passages and of characters after which questions are passed to native code. Copying that many takes less than a millisecond. */
const PASSAGES_PER_CALL = 256;
const CHARACTERS_PER_CALL = 1 << 18;

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

/**
Makes the questions of examples, in chunks with few passages and little text. A chunk has more only if one question does. Questions are made when
their chunk is needed.
*/
export function* chunks<E>(examples: readonly E[], makeQuestion: (example: E) => QuestionPassages): Generator<readonly QuestionPassages[]> {
	let [chunk, passages, characters]: [QuestionPassages[], number, number] = [[], 0, 0];
	for (const example of examples) {
		const question = makeQuestion(example);
		chunk.push(question);
		passages += question.passages.length;
		characters += question.passages.reduce((sum, {text}) => sum + text.length, 0);
		if (passages >= PASSAGES_PER_CALL || characters >= CHARACTERS_PER_CALL) {
			yield chunk;
			[chunk, passages, characters] = [[], 0, 0];
		}
	}
	if (chunk.length > 0) {
		yield chunk;
	}
}
