// Questions in the style of EntityQuestions (Sciavolino et al., 2021), whose corpus, all of Wikipedia, is too large to include here. Its
// templates are filled with entities whose articles are in the collection and state the relation in words that a pattern matches.
import {createReadStream} from 'node:fs';
import {mkdir, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {createGunzip} from 'node:zlib';

interface Article {
	readonly _id: string;
	readonly title?: string;
	readonly text: string;
}

/** A template of EntityQuestions, and the pattern that finds the answer in an article. */
const relations: ReadonlyArray<{readonly question: (entity: string) => string; readonly said: RegExp}> = [
	{question: entity => `Where was ${entity} born?`, said: /\(born [^)]*? in [A-Z]/u},
	{
		question: entity => `What kind of work does ${entity} do?`,
		said: /\((?:born )?(?:[A-Z][a-z]+ )?\d[^)]*\)[^.]{0,40} (?:is|was) an? [^.]*?(?:actor|actress|author|lawyer|musician|painter|player|politician|singer|writer)/u,
	},
	{question: entity => `Who is ${entity} married to?`, said: /(?:is|was) (?:married to|the (?:wife|husband) of) [A-Z]/u},
	{question: entity => `Who directed ${entity}?`, said: /(?:film|movie|episode|documentary)[^.]*? directed by [A-Z]/u},
	{question: entity => `Who is the author of ${entity}?`, said: /is an? [^.]*?(?:novel|book|memoir|play)[^.]*? by [^.]*?[A-Z]/u},
	{question: entity => `Who performed ${entity}?`, said: /is an? [^.]*?(?:album|song|single)[^.]*? by [^.]*?[A-Z]/u},
	{question: entity => `Who founded ${entity}?`, said: /founded (?:in \d{4} )?by [A-Z]/u},
	{
		question: entity => `Where is ${entity} located?`,
		said: /^[^.]*? is an? [^.]*?(?:airport|bridge|building|church|city|college|district|lake|mountain|museum|park|river|school|station|town|university|village)[^.]*? in [A-Z]/u,
	},
];

/**
Writes `corpus.jsonl`, `queries.jsonl` and `qrels.txt` into `folder`: one question for each article and relation that a pattern
finds, with the article as the relevant passage. Resolves to the folder.
*/
export async function entityQuestions(collection: string, folder: string): Promise<string> {
	const [corpus, queries, qrels]: [string[], string[], string[]] = [[], [], []];
	for await (const line of createInterface(createReadStream(join(collection, 'corpus.jsonl.gz')).pipe(createGunzip()))) {
		const {_id, title = '', text} = JSON.parse(line) as Article;
		corpus.push(line);
		const entity = title.replace(/ \([^)]*\)$/u, '');
		const [first] = text.split('\n');
		for (const [relation, {question, said}] of relations.entries()) {
			if (entity !== '' && said.test(first!)) {
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
