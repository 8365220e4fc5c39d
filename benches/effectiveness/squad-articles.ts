// The questions of SQuAD's development set, split by articles: those for training, those for validation, and those for tests.
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import type {Question} from '../../ts/core/types.ts';
import {linesOf} from '../support/json-lines.ts';

/** A question, with the paragraph that it was written for. */
export interface ArticleQuestion extends Question {
	readonly paragraph: string;
}

/** The questions about the articles of each part of the data set. */
export type QuestionParts = Readonly<Record<'train' | 'dev' | 'test', ArticleQuestion[]>>;

/** A line of the file of questions. */
interface Line {
	readonly id: string;
	readonly title: string;
	readonly question: string;
	readonly answers: readonly string[];
	readonly paragraph_id: string;
}

/** Every sixth training article is for validation. */
const isForValidation = (_: string, i: number): boolean => i % 6 === 5;

/** Splits the questions in the folder of the shared data set. The bundled reader was trained on questions about the training articles. */
export async function questionsByArticles(squad: string): Promise<QuestionParts> {
	const split = JSON.parse(await readFile(join(squad, 'split.json'), 'utf8')) as {reader_train: string[]; test: string[]};
	const lines = await linesOf<Line>(join(squad, 'squad-dev.qas.jsonl.gz'));
	const about = (titles: readonly string[]): ArticleQuestion[] =>
		lines
			.filter(({title}) => titles.includes(title))
			.map(({id, question, answers, paragraph_id: paragraph}) => ({id, text: question, answers, paragraph}));
	return {
		train: about(split.reader_train.filter((title, i) => !isForValidation(title, i))),
		dev: about(split.reader_train.filter(isForValidation)),
		test: about(split.test),
	};
}
