import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {packageRoot} from '../core/native/addon.ts';
import {checkOneOf} from '../core/checks.ts';
import {onPath} from '../core/file-system.ts';
import type {Question} from '../core/types.ts';

/** How a question of the encyclopedia relates to its passage. */
export type QuestionKind =
	/** Shares several content words with its passage. */
	| 'lexical'
	/** Shares no content word with its passage or its title. */
	| 'paraphrase'
	/** Names an entity, or asks for one. */
	| 'entity'
	/** Asks for a date, a quantity or a count. */
	| 'number';

export interface EncyclopediaQuestion extends Question {
	readonly kind: QuestionKind;
	/** Id of the gold passage of 100 words: the one that states the answer. */
	readonly passage: string;
	/** The words of the article that answer the question. */
	readonly evidence: string;
}

export type EncyclopediaSplit = 'train' | 'dev' | 'test';

/** The corpus that is part of this package: articles written for it, with questions and answers (CC0). */
export interface Encyclopedia {
	/** Path of the folder of Markdown articles, for `Collection.build` or `readPassages`. */
	readonly articles: string;
	/** Path of the TREC qrels: the gold passage of each question. */
	readonly qrels: string;
	/** Reads the questions of one split. The splits share no article. */
	questions(split: EncyclopediaSplit): Promise<EncyclopediaQuestion[]>;
}

/**
Returns the encyclopedia in `examples/encyclopedia`, to try passagekit and to test it.

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
