// Tests that the bundled encyclopedia has the properties that its README states: its sizes, the places of evidence and answers, the words
// that paraphrase and lexical questions share with their passages, and splits without common articles.
import {readdir, readFile} from 'node:fs/promises';
import {join} from 'node:path';
import test from 'ava';
import {type EncyclopediaQuestion, type Passage, encyclopedia, hasAnswer, readPassages, readQrels} from '../../ts/index.ts';

const {articles, qrels, questions} = encyclopedia();

/** Returns all passages by id. */
async function passages(): Promise<Map<string, Passage>> {
	const byId = new Map<string, Passage>();
	for await (const passage of readPassages(articles)) {
		byId.set(passage.id, passage);
	}
	return byId;
}

/** Returns the questions of all splits. */
async function allQuestions(): Promise<EncyclopediaQuestion[]> {
	return [...(await questions('train')), ...(await questions('dev')), ...(await questions('test'))];
}

test('the encyclopedia has the size that its README states', async t => {
	const all = [...(await passages()).values()];
	const words = all.reduce((sum, {text}) => sum + text.split(/\s+/u).length, 0);
	t.is((await readdir(articles)).length, 88);
	t.is(all.length, 352);
	t.true(words >= 33_500 && words <= 34_500, String(words));
	t.is((await allQuestions()).length, 528);
});

test('the evidence of a question is in its article, its first answer is in the evidence, and its gold passage has an answer', async t => {
	const passagesById = await passages();
	for (const {id, answers, evidence, passage} of await allQuestions()) {
		const [fileName] = passage.split('#');
		const article = await readFile(join(articles, fileName!), 'utf8');
		t.true(article.includes(evidence), id);
		t.true(evidence.includes(answers[0]!), id);
		t.true(hasAnswer(passagesById.get(passage)!.text, answers), `${id}: ${passage}`);
		// The id of a question is the name of its article, a hyphen and a number.
		t.is(fileName!.replace(/\.md$/u, ''), id.replace(/-\d+$/u, ''));
	}
});

test('paraphrase questions share no stem of a content word with their passage and its title, lexical ones at least three', async t => {
	const passagesById = await passages();
	for (const {id, kind, text, passage} of await allQuestions()) {
		const gold = passagesById.get(passage)!;
		const passageStems = stems(`${gold.title} ${gold.text}`);
		const shared = [...stems(text)].filter(stem => passageStems.has(stem));
		if (kind === 'paraphrase') {
			t.deepEqual(shared, [], id);
		} else if (kind === 'lexical') {
			t.true(shared.length >= 3, `${id}: ${shared.join(', ')}`);
		}
	}
});

test('the splits share no article, and each has questions of every kind', async t => {
	const splitOfArticle = new Map<string, string>();
	for (const split of ['train', 'dev', 'test'] as const) {
		const kinds = new Set<string>();
		for (const {kind, passage} of await questions(split)) {
			const [article] = passage.split('#');
			t.is(splitOfArticle.get(article!) ?? split, split, article);
			splitOfArticle.set(article!, split);
			kinds.add(kind);
		}
		t.deepEqual([...kinds].toSorted(), ['entity', 'lexical', 'number', 'paraphrase']);
	}
	t.is(splitOfArticle.size, 88);
});

test('the qrels of each question contain only its gold passage, with grade 1', async t => {
	const judged = await readQrels(qrels);
	const all = await allQuestions();
	t.is(judged.size, all.length);
	for (const {id, passage} of all) {
		t.deepEqual([...judged.get(id)!], [[passage, 1]], id);
	}
});

/** Words that `stems` leaves out, because they say little about the content. All other words are content words. */
const stopWords = new Set(
	`a about above after again against ago all also among an and another any are as at away be became because become been
before being below between both but by called came can could did do does doing done down during each either ever every few first for from further
get gets give given go goes got had has have having he her here hers him his how however if in into is it its itself just keep kept kind known
last later least less let long made make makes making many may me might more most much must my near need no nor not now of off often on once one only or
other our out over own part put rather same say set she should since so some something still such take taken than that the their them then there these they
thing things this those through time to together too toward turn two under until up upon us use used very was way we well went were what when where
which while who whom whose why will with within without word words work would year years yet you your`.split(/\s+/u),
);

/**
Returns the stems of the words of a text, except stop words and words of one or two letters. The stemmer is simple: it removes one ending
and keeps at most five letters. So unrelated words may get the same stem, and a test may count too many shared stems, but rarely too few.
*/
function stems(text: string): Set<string> {
	const words = text
		.toLowerCase()
		.normalize('NFD')
		.replaceAll(/\p{M}/gu, '')
		.split(/[^\p{L}\p{N}]+/u);
	return new Set(
		words
			.filter(word => word.length > 2 && !stopWords.has(word))
			.map(word => {
				const stem = word.replace(/(ations?|ings?|edly|ed|ies|es|s|ly|ers?|y)$/u, '');
				return (stem.length >= 3 ? stem : word).slice(0, 5);
			}),
	);
}
