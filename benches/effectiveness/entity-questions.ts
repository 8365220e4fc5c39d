// Generates questions in the style of EntityQuestions (Sciavolino et al., 2021), such as "Where was Ada Lovelace born?". The corpus of
// EntityQuestions is all of Wikipedia, which is too large for a benchmark. So `entityQuestions` fills templates like those of
// EntityQuestions with the titles of the articles of a smaller collection, if a pattern indicates that the article has the answer.
import {createReadStream} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {createGunzip} from 'node:zlib';

/** A line of the collection's corpus. */
interface Article {
	readonly _id: string;
	readonly title?: string;
	readonly text: string;
}

/**
The templates, one per relation. If the pattern of a template matches the first paragraph of an article, that paragraph most likely has
the answer to the question about the article's title.
*/
const relations: ReadonlyArray<{readonly question: (entity: string) => string; readonly pattern: RegExp}> = [
	{question: entity => `Where was ${entity} born?`, pattern: /\(born [^)]*? in [A-Z]/u},
	{
		question: entity => `What kind of work does ${entity} do?`,
		pattern:
			/\((?:born )?(?:[A-Z][a-z]+ )?\d[^)]*\)[^.]{0,40} (?:is|was) an? [^.]*?(?:actor|actress|author|lawyer|musician|painter|player|politician|singer|writer)/u,
	},
	{question: entity => `Who is ${entity} married to?`, pattern: /(?:is|was) (?:married to|the (?:wife|husband) of) [A-Z]/u},
	{question: entity => `Who directed ${entity}?`, pattern: /(?:film|movie|episode|documentary)[^.]*? directed by [A-Z]/u},
	{question: entity => `Who is the author of ${entity}?`, pattern: /is an? [^.]*?(?:novel|book|memoir|play)[^.]*? by [^.]*?[A-Z]/u},
	{question: entity => `Who performed ${entity}?`, pattern: /is an? [^.]*?(?:album|song|single)[^.]*? by [^.]*?[A-Z]/u},
	{question: entity => `Who founded ${entity}?`, pattern: /founded (?:in \d{4} )?by [A-Z]/u},
	{
		question: entity => `Where is ${entity} located?`,
		pattern:
			/^[^.]*? is an? [^.]*?(?:airport|bridge|building|church|city|college|district|lake|mountain|museum|park|river|school|station|town|university|village)[^.]*? in [A-Z]/u,
	},
];

/**
Writes `corpus.jsonl`, `queries.jsonl` and `qrels.txt` into `folder`: one question for each article and each relation whose pattern
matches, with the article as the relevant passage. The articles come from `corpus.jsonl.gz` in the folder `collection`. Resolves to
`folder`.
*/
export async function entityQuestions(collection: string, folder: string): Promise<string> {
	const [corpus, queries, qrels]: [string[], string[], string[]] = [[], [], []];
	for await (const line of createInterface(createReadStream(join(collection, 'corpus.jsonl.gz')).pipe(createGunzip()))) {
		const {_id, title = '', text} = JSON.parse(line) as Article;
		corpus.push(line);
		// The title without a disambiguation such as ` (film)`.
		const entity = title.replace(/ \([^)]*\)$/u, '');
		const [firstParagraph] = text.split('\n');
		for (const [relation, {question, pattern}] of relations.entries()) {
			if (entity !== '' && pattern.test(firstParagraph!)) {
				const id = `${relation}-${_id}`;
				queries.push(JSON.stringify({_id: id, text: question(entity)}));
				qrels.push(`${id} 0 ${_id} 1`);
			}
		}
	}
	await mkdir(folder, {recursive: true});
	for (const [name, lines] of Object.entries({'corpus.jsonl': corpus, 'queries.jsonl': queries, 'qrels.txt': qrels})) {
		await writeFile(join(folder, name), `${lines.join('\n')}\n`);
	}
	return folder;
}
