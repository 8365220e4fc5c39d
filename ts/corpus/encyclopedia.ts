/** The small corpus of articles and questions that is bundled with this package. */
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {packageRoot} from '../core/native/addon.ts';
import {checkOneOf} from '../core/checks.ts';
import {onPath} from '../core/file-system.ts';
import type {Question} from '../core/types.ts';

/** Kinds of questions of the encyclopedia. They differ in how easy it is to find the passage with the answer. */
export type QuestionKind =
	/** The question shares several content words with its passage. */
	| 'lexical'
	/** The question shares no content word with its passage or the title. */
	| 'paraphrase'
	/** The question names an entity, or asks for one. */
	| 'entity'
	/** The question asks for a date, a quantity or a count. */
	| 'number';

/** A question about an article of the encyclopedia. */
export interface EncyclopediaQuestion extends Question {
	readonly kind: QuestionKind;
	/** Id of the gold passage: the passage, of at most 100 words, that states the answer. */
	readonly passage: string;
	/** The words of the article that answer the question. */
	readonly evidence: string;
}

/** The questions for training, for development, and for tests. */
export type EncyclopediaSplit = 'train' | 'dev' | 'test';

/** A small corpus that is part of this package: articles written for passagekit, with questions and answers (license CC0). */
export interface Encyclopedia {
	/** Path of the folder of Markdown articles, for `Collection.build` or `readPassages`. */
	readonly articles: string;
	/** Path of the TREC qrels: the gold passage of each question. */
	readonly qrels: string;
	/** Reads the questions of one split. No article has questions in two splits. */
	questions(split: EncyclopediaSplit): Promise<EncyclopediaQuestion[]>;
}

/**
Returns the encyclopedia in `examples/encyclopedia`, a small corpus for trying and testing passagekit.

@example
```
const {articles, questions} = encyclopedia();
const collection = await Collection.build(articles, './index');
const [question] = await questions('test');
await collection.ask(question!.text);
```
*/
export function encyclopedia(): Encyclopedia {
	const folder = join(packageRoot, 'examples', 'encyclopedia');
	return {
		articles: join(folder, 'articles'),
		qrels: join(folder, 'qrels.txt'),
		async questions(split) {
			checkOneOf('split', split, ['train', 'dev', 'test']);
			const path = join(folder, `questions.${split}.jsonl`);
			const lines = (await onPath('read', path, async () => readFile(path, 'utf8'))).trim().split('\n');
			return lines.map(line => {
				const {question, ...rest} = JSON.parse(line) as Omit<EncyclopediaQuestion, 'text'> & {readonly question: string};
				return {...rest, text: question};
			});
		},
	};
}
