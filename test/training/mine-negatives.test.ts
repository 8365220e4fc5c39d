// Tests the mining of training examples on corpora that are small enough to work out each result by hand.
import {mkdtemp, readdir, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {
	Bm25Index,
	type Hit,
	type MiningOptions,
	type MiningProgress,
	type MiningStatistics,
	type Passage,
	PassageStore,
	type Query,
	type Run,
	type SearchOptions,
	type Searcher,
	type TrainingExample,
	type TrainingQuestion,
	hasAnswer,
	mineNegatives,
	mineTrainingExamples,
} from '../../ts/index.ts';

/** Passages about a question: who painted the sea? The answer is Anna. */
const passages: readonly Passage[] = [
	{id: 'gold', title: 'The sea', text: 'Anna painted the sea at night.'},
	{id: 'answer', text: 'A picture of the sea by Anna.'},
	// All four pairs of adjacent words occur in the gold passage, so the overlap is 1.
	{id: 'copy', text: 'Painted the sea at night.'},
	// "painted the", "the sea" and "sea at" are three of its five pairs, so the overlap is 0.6.
	{id: 'near', text: 'Ben painted the sea at noon.'},
	{id: 'cats', text: 'Cats sleep.'},
	{id: 'dogs', text: 'Dogs bark.'},
	{id: 'cows', text: 'Cows eat grass.'},
];
const question: TrainingQuestion = {id: 'q', text: 'who painted the sea?', answers: ['Anna'], positives: ['gold']};

/** A searcher that returns the same hits for every query: `gold` with score 10, `answer` with score 9, and so on. */
function searcherWith(hits: readonly Hit[]): Searcher {
	return {
		search: async () => [...hits],
		searchMany: async (queries: readonly Query[], {k = 100} = {}): Promise<Run> => new Map(queries.map(({id}) => [id, hits.slice(0, k)])),
	};
}
const searcher = searcherWith(passages.map(({id}, i) => ({id, score: 10 - i})));
const rankedWithout = (removed: string): Searcher =>
	searcherWith(passages.map(({id}, i) => ({id, score: 10 - i})).filter(({id}) => id !== removed));

/** Mines one question with that searcher, and returns the ids of its hard negatives and the statistics. */
async function mined(options: MiningOptions, given: TrainingQuestion = question): Promise<{ids: string[]; statistics: MiningStatistics}> {
	const {examples, statistics} = await mineNegatives([given], passages, {searcher, bm25: searcher, hardNegatives: 10, ...options});
	return {ids: idsOf(examples[0], 'hardNegatives'), statistics};
}

function idsOf(example: TrainingExample | undefined, kind: 'positives' | 'hardNegatives' | 'negatives'): string[] {
	return example![kind].map(({id}) => id!);
}

test('an example has the question, its positives and the best hits that are no positives, answers or copies', async t => {
	const {examples, statistics} = await mineNegatives([question], passages, {searcher, hardNegatives: 2, dataset: 'paintings'});
	t.deepEqual(examples, [
		{
			dataset: 'paintings',
			question: 'who painted the sea?',
			answers: ['Anna'],
			positives: [{id: 'gold', title: 'The sea', text: 'Anna painted the sea at night.'}],
			hardNegatives: [
				{id: 'near', text: 'Ben painted the sea at noon.', score: 7},
				{id: 'cats', text: 'Cats sleep.', score: 6},
			],
			negatives: [],
		},
	]);
	t.deepEqual(statistics, {
		questions: 1,
		examples: 1,
		dropped: {nothingToMatch: [], unknownIds: [], unmatchedContext: [], contextWithoutAnswer: [], noPassageWithAnswer: []},
		positives: {ids: 1, contexts: 0, answers: 0},
		unknownIds: 0,
		missing: {hardNegatives: 0, randomNegatives: 0, goldNegatives: 0},
		shortExamples: 0,
		rejected: {positive: 1, score: 0, margin: 0, answer: 1, duplicate: 1},
		unscoredPositives: 0,
	});
});

test('ranks, scores and margins choose hard negatives as in Sentence Transformers', async t => {
	t.deepEqual((await mined({})).ids, ['near', 'cats', 'dogs', 'cows']);
	t.deepEqual((await mined({minRank: 5, maxRank: 6})).ids, ['cats', 'dogs']);
	// The scores are: near 7, cats 6, dogs 5, cows 4.
	t.deepEqual((await mined({minScore: 5, maxScore: 6})).ids, ['cats', 'dogs']);
	// At most 10 − 4.5 = 5.5, and at most 10 − 0.6 · 10 = 4; with both, the larger margin applies.
	t.deepEqual((await mined({margin: 4.5})).ids, ['dogs', 'cows']);
	t.deepEqual((await mined({relativeMargin: 0.6})).ids, ['cows']);
	t.deepEqual((await mined({margin: 4.5, relativeMargin: 0.6})).ids, ['cows']);
	t.deepEqual((await mined({margin: -3.5, maxOverlap: 1})).ids, ['copy', 'near', 'cats', 'dogs', 'cows']);
	const {statistics} = await mined({margin: 4.5, minScore: 4.5});
	// Score: cows. Margin: answer (9), copy (8), near (7) and cats (6).
	t.deepEqual(statistics.rejected, {positive: 1, score: 1, margin: 4, answer: 0, duplicate: 0});
});

test('a near-duplicate of a positive is no negative; the maximum overlap is an option', async t => {
	t.deepEqual((await mined({maxOverlap: 0.59})).ids, ['cats', 'dogs', 'cows']);
	t.deepEqual((await mined({maxOverlap: 0.6})).ids, ['near', 'cats', 'dogs', 'cows']);
	t.deepEqual((await mined({maxOverlap: 1})).ids, ['copy', 'near', 'cats', 'dogs', 'cows']);
	// A passage with exactly the text of a positive is a duplicate even then.
	const twin = {id: 'twin', text: passages[0]!.text};
	const {examples} = await mineNegatives([{...question, answers: []}], [...passages, twin], {
		searcher: searcherWith([
			{id: 'twin', score: 2},
			{id: 'cats', score: 1},
		]),
		maxOverlap: 1,
	});
	t.deepEqual(idsOf(examples[0], 'hardNegatives'), ['cats']);
});

test('without answers, only positives and their near-duplicates are rejected', async t => {
	const {id, text, positives} = question;
	t.deepEqual((await mined({}, {id, text, positives: positives!})).ids, ['answer', 'near', 'cats', 'dogs', 'cows']);
});

test('answers can be regular expressions', async t => {
	const {ids} = await mined({answerKind: 'pattern'}, {...question, answers: [String.raw`\b(c|d)o[a-z]+s\b`]});
	t.deepEqual(ids, ['answer', 'near', 'cats']);
});

test('a margin needs the score of the positive: a filtered search finds it, or the question gets no hard negatives', async t => {
	const unscored = await mined({searcher: rankedWithout('gold'), margin: 1});
	t.deepEqual(unscored.ids, []);
	t.is(unscored.statistics.unscoredPositives, 1);
	t.deepEqual([unscored.statistics.missing.hardNegatives, unscored.statistics.shortExamples], [10, 1]);
	const filters: unknown[] = [];
	const filterable = {
		...rankedWithout('gold'),
		checkFilter() {},
		async search(_query: string, {filter}: SearchOptions & {readonly filter?: unknown} = {}): Promise<Hit[]> {
			filters.push(filter);
			return [{id: 'gold', score: 7}];
		},
	};
	const scored = await mined({searcher: filterable, margin: 2});
	t.deepEqual(filters, [{ids: ['gold']}]);
	t.deepEqual(scored.ids, ['dogs', 'cows']);
	t.is(scored.statistics.unscoredPositives, 0);
});

test('random sampling draws among the eligible hits, the same ones for the same seed', async t => {
	const draw = async (seed: number): Promise<string> => (await mined({sampling: 'random', hardNegatives: 2, seed})).ids.join(' ');
	const drawn = await Promise.all(Array.from({length: 30}, async (_, seed) => draw(seed)));
	t.is(await draw(3), drawn[3]!);
	// Pairs of the four eligible hits, in the order of the run.
	const pairs = new Set(['near cats', 'near dogs', 'near cows', 'cats dogs', 'cats cows', 'dogs cows']);
	t.true(new Set(drawn).size > 3 && drawn.every(pair => pairs.has(pair)), drawn.join(', '));
});

test('random negatives are drawn from all passages, with the same rules, and are distinct from the hard negatives', async t => {
	const orders = new Set<string>();
	for (let seed = 0; seed < 20; seed++) {
		const options = {searcher, hardNegatives: 1, randomNegatives: 5, seed};
		const {examples, statistics} = await mineNegatives([question], passages, options);
		// The hard negative is "near". Three passages are left.
		t.deepEqual(idsOf(examples[0], 'hardNegatives'), ['near']);
		t.deepEqual(idsOf(examples[0], 'negatives').toSorted(), ['cats', 'cows', 'dogs']);
		t.deepEqual(statistics.missing, {hardNegatives: 0, randomNegatives: 2, goldNegatives: 0});
		t.is(statistics.shortExamples, 1);
		t.true(examples[0]!.negatives.every(negative => !('score' in negative)));
		orders.add(idsOf(examples[0], 'negatives').join());
	}
	t.true(orders.size > 2);
});

test('gold negatives are positives of other questions, but not if they answer the question', async t => {
	const questions: TrainingQuestion[] = [
		question,
		// The passage "answer" contains the answer of the first question.
		{id: 'r', text: 'what is it?', answers: ['picture'], positives: ['answer']},
		{id: 's', text: 'who sleeps?', answers: ['cats'], positives: ['cats']},
		{id: 's2', text: 'what do cats do?', answers: ['sleep'], positives: ['cats']},
		{id: 'u', text: 'who barks?', answers: ['dogs'], positives: ['dogs']},
	];
	const {examples, statistics} = await mineNegatives(questions, passages, {searcher, hardNegatives: 0, goldNegatives: 2});
	t.deepEqual(
		examples.map(each => idsOf(each, 'hardNegatives')),
		[[], [], [], [], []],
	);
	t.deepEqual(idsOf(examples[0], 'negatives').toSorted(), ['cats', 'dogs']);
	for (const [i, {positives}] of questions.entries()) {
		const negatives = idsOf(examples[i], 'negatives');
		t.is(new Set(negatives).size, 2);
		t.false(negatives.includes(positives![0]!));
		t.true(negatives.every(id => ['gold', 'answer', 'cats', 'dogs'].includes(id)));
	}
	t.is(statistics.missing.goldNegatives, 0);
});

test('a passage that is labeled as positive is no negative, also if positives are found by answers', async t => {
	// 'dogs' has no answer, so only its label says that it is a positive.
	const labeled = {...question, positives: ['gold', 'dogs']};
	t.true((await mined({positives: 'answers'}, {...question, positives: ['gold']})).ids.includes('dogs'));
	t.false((await mined({positives: 'answers'}, labeled)).ids.includes('dogs'));
});

test('choices for a question depend on the seed and its id, not on the other questions or their order', async t => {
	const questions = Array.from({length: 40}, (_, i) => ({id: `q${i}`, text: 'x', positives: ['gold']}));
	const options = {searcher, hardNegatives: 1, sampling: 'random', randomNegatives: 2} as const;
	const all = await mineNegatives(questions, passages, {...options, seed: 7});
	t.deepEqual(await mineNegatives(questions, passages, {...options, seed: 7}), all);
	const some = await mineNegatives([questions[30]!, questions[4]!], passages, {...options, seed: 7});
	t.deepEqual(some.examples, [all.examples[30], all.examples[4]]);
	const other = await mineNegatives(questions, passages, {...options, seed: 8});
	t.notDeepEqual(other.examples, all.examples);
	// The questions differ only in their ids.
	t.true(new Set(all.examples.map(each => idsOf(each, 'negatives').join())).size > 5);
});

test('positives by ids: unknown ids are counted, and a question without a known id is dropped', async t => {
	const questions = [
		{id: 'a', text: 'x', positives: ['none', 'gold', 'gold', 'answer']},
		{id: 'b', text: 'x', positives: ['none', 'never']},
		{id: 'c', text: 'x'},
	];
	const {examples, statistics} = await mineNegatives(questions, passages, {searcher});
	t.deepEqual(
		examples.map(each => idsOf(each, 'positives')),
		[['gold', 'answer']],
	);
	t.deepEqual([statistics.dropped.unknownIds, statistics.dropped.nothingToMatch], [['b'], ['c']]);
	t.is(statistics.unknownIds, 3);
	t.is(statistics.questions, 3);
});

test('distant supervision takes the first of the best passages for question and answer that contains an answer', async t => {
	const asked: Query[] = [];
	const bm25: Searcher = {
		search: async () => [],
		async searchMany(queries, {k} = {}) {
			asked.push(...queries);
			const hits = ['cats', 'near', 'answer', 'gold'].map((id, i) => ({id, score: 4 - i}));
			return new Map(queries.map(({id}) => [id, hits.slice(0, k)]));
		},
	};
	const questions = [
		{id: 'a', text: 'who painted it?', answers: ['Berta', 'Anna']},
		{id: 'b', text: 'who bought it?', answers: ['Clara']},
	];
	const mine = async (supervisionDepth: number): Promise<{positives: string[][]; statistics: MiningStatistics}> => {
		const {examples, statistics} = await mineNegatives(questions, passages, {bm25, searcher, supervisionDepth});
		return {positives: examples.map(each => idsOf(each, 'positives')), statistics};
	};
	const found = await mine(100);
	t.deepEqual(asked.slice(0, 2), [
		{id: 'a', text: 'who painted it? Berta'},
		{id: 'b', text: 'who bought it? Clara'},
	]);
	// "answer" is the third hit and contains "Anna". No hit contains "Clara".
	t.deepEqual(found.positives, [['answer']]);
	t.deepEqual(found.statistics.dropped.noPassageWithAnswer, ['b']);
	t.is(found.statistics.positives.answers, 1);
	const shallow = await mine(2);
	t.deepEqual(shallow.positives, []);
	t.deepEqual(shallow.statistics.dropped.noPassageWithAnswer, ['a', 'b']);
});

test('contexts are matched with the passage that has an answer and shares the most; others are dropped', async t => {
	const corpus: Passage[] = [
		{id: '1', text: 'Bern is the capital of Switzerland, and'},
		{id: '2', text: 'its old town is a World Heritage Site. The river Aare flows around it.'},
		{id: '3', text: 'Zurich is the largest city of Switzerland.'},
	];
	const context = {id: '3', text: 'bern is the capital of switzerland and its old town is a world heritage site . the river aare'};
	const questions: TrainingQuestion[] = [
		{id: 'capital', text: 'what is the capital?', answers: ['Bern'], context},
		{id: 'town', text: 'what is a heritage site?', answers: ['old town'], context},
		{id: 'none', text: 'where is Basel?', answers: ['Basel'], context},
		{id: 'far', text: 'who sleeps?', answers: ['cats'], context: {text: 'Cats sleep on the capital.'}},
		{id: 'exact', text: 'what is the largest city?', answers: ['Zurich'], context: {id: '3', text: corpus[2]!.text}},
	];
	const {examples, statistics} = await mineNegatives(questions, corpus, {hardNegatives: 0});
	t.deepEqual(
		examples.map(each => [each.question, ...idsOf(each, 'positives')]),
		[
			['what is the capital?', '1'],
			['what is a heritage site?', '2'],
			['what is the largest city?', '3'],
		],
	);
	t.deepEqual(statistics.dropped.contextWithoutAnswer, ['none']);
	t.deepEqual(statistics.dropped.unmatchedContext, ['far']);
	t.is(statistics.positives.contexts, 3);
	// The second passage has 13 pairs of adjacent words and the context 17. They share the ten pairs of "its old town … river Aare".
	const strict = await mineNegatives(questions, corpus, {hardNegatives: 0, contextOverlap: 10 / 13 + 0.01});
	t.deepEqual(strict.statistics.dropped.contextWithoutAnswer, ['town', 'none']);
});

test('the option positives selects how positives are found', async t => {
	const given: TrainingQuestion = {...question, positives: ['cats'], context: {text: passages[1]!.text}};
	const positives = async (source: 'auto' | 'ids' | 'contexts' | 'answers'): Promise<string[]> => {
		const {examples} = await mineNegatives([given], passages, {positives: source, hardNegatives: 0});
		return idsOf(examples[0], 'positives');
	};
	t.deepEqual(await positives('auto'), ['cats']);
	t.deepEqual(await positives('ids'), ['cats']);
	t.deepEqual(await positives('contexts'), ['answer']);
	// "who painted the sea? Anna" has four words of the gold passage, and three of "answer".
	t.deepEqual(await positives('answers'), ['gold']);
	const {statistics} = await mineNegatives([{...question, positives: []}], passages, {positives: 'contexts'});
	t.deepEqual(statistics.dropped.nothingToMatch, ['q']);
});

test('by default, BM25 finds the negatives; a store and an index can be given, and temporary files are removed', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-training-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const {examples} = await mineNegatives([question], passages);
	// "painted" and "sea" are words of "near"; no other passage that is left has a word of the question.
	t.deepEqual(idsOf(examples[0], 'hardNegatives'), ['near']);
	const store = join(folder, 'store');
	await PassageStore.write(passages, store);
	await using opened = await PassageStore.open(store);
	await using bm25 = await Bm25Index.build(join(folder, 'bm25'), opened);
	t.deepEqual((await mineNegatives([question], opened, {bm25})).examples, examples);
	// Neither the store nor the index was closed.
	t.is(opened.size, passages.length);
	const score = (await bm25.search(question.text)).find(({id}) => id === 'near')!.score;
	t.is(examples[0]!.hardNegatives[0]!.score, score);
	// The best hit is "cats". The score of the gold passage, which is not among the first hits, comes from a filtered search.
	const night = {id: 'n', text: 'cats at night', positives: ['gold']};
	const {statistics} = await mineNegatives([night], opened, {bm25, maxRank: 1, margin: 0});
	t.deepEqual([statistics.unscoredPositives, statistics.rejected.margin], [0, 1]);
});

test.serial('temporary folders are removed, also after an error or an early end', async t => {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-training-'));
	const before = process.env['TMPDIR'];
	process.env['TMPDIR'] = folder;
	t.teardown(async () => {
		if (before === undefined) {
			delete process.env['TMPDIR'];
		} else {
			process.env['TMPDIR'] = before;
		}
		await rm(folder, {recursive: true, force: true});
	});
	t.is(tmpdir(), folder);
	let during: string[] = [];
	await mineNegatives([question], passages);
	async function* failing(): AsyncGenerator<TrainingQuestion> {
		yield question;
		throw new Error('no more questions');
	}
	await t.throwsAsync(mineNegatives(failing(), passages), {message: 'no more questions'});
	await t.throwsAsync(mineNegatives([question], [passages[0]!, passages[0]!]), {code: 'ERR_DUPLICATE_ID'});
	for await (const example of mineTrainingExamples([question, {...question, id: 'r'}], passages)) {
		t.is(example.question, question.text);
		during = await readdir(folder);
		break;
	}
	t.is(during.length, 1);
	t.regex(during[0]!, /^passagekit-mining-/u);
	t.deepEqual(await readdir(folder), []);
});

test('examples are streamed in the order of the questions, with progress and statistics; a signal ends it', async t => {
	const questions = Array.from({length: 600}, (_, i) => ({...question, id: String(i), text: `${question.text} ${i}`}));
	const progress: MiningProgress[] = [];
	const statistics: MiningStatistics[] = [];
	const stream = mineTrainingExamples(questions, passages, {
		onProgress: each => void progress.push(each),
		onStatistics: each => void statistics.push(each),
	});
	const texts: string[] = [];
	for await (const {question: text} of stream) {
		texts.push(text);
	}
	t.deepEqual(
		texts,
		questions.map(({text}) => text),
	);
	t.is(statistics.length, 1);
	t.is(statistics[0]!.examples, 600);
	t.deepEqual([...new Set(progress.map(({stage}) => stage))], ['read', 'positives', 'index', 'negatives']);
	t.deepEqual(progress.at(-1), {stage: 'negatives', done: 600, total: 600});
	const controller = new AbortController();
	const stopped = mineNegatives(questions, passages, {
		signal: controller.signal,
		onProgress({stage}) {
			if (stage === 'negatives') {
				controller.abort(new Error('stop'));
			}
		},
	});
	await t.throwsAsync(stopped, {message: 'stop'});
	const onProgress = (): void => {
		throw new Error('no progress');
	};
	await t.throwsAsync(mineNegatives(questions, passages, {onProgress}), {message: 'no progress'});
});

test('invalid questions, options and searchers are refused', async t => {
	const refusal = async (options: object, questions: readonly unknown[] = [question]): Promise<string> => {
		const error = await t.throwsAsync(mineNegatives(questions as TrainingQuestion[], passages, {searcher, ...options}));
		return error!.message;
	};
	t.is(await refusal({maxRank: 3, minRank: 4}), 'maxRank: expected a whole number of at least 4, got 3');
	t.is(await refusal({contextOverlap: 1.5}), 'contextOverlap: expected a number from 0 to 1, got 1.5');
	t.is(await refusal({margin: Number.NaN}), 'margin: expected a finite number, got NaN');
	t.is(await refusal({searcher: {}}), 'searcher: expected a searcher, got an object');
	t.regex(await refusal({sampling: 'best'}), /^sampling: expected one of top, random, got "best"$/u);
	t.regex(await refusal({hardNegative: 1}), /did you mean hardNegatives\?$/u);
	t.is(await refusal({}, [question, question]), 'questions: expected distinct ids, got "q" twice');
	t.is(await refusal({}, [{id: 'a', text: 'b', answers: [1]}]), 'questions[0]: answers[0]: expected a string, got number');
	t.is(await refusal({}, [{id: 'a', text: 'b', context: {}}]), 'questions[0]: context: text: expected a string, got undefined');
	t.regex(
		await refusal({searcher: searcherWith([{id: 'elsewhere', score: 1}])}),
		/expected every hit and every positive to be a passage of the corpus, got "elsewhere"/u,
	);
});

test('no negative of any kind contains an answer or is a positive, whatever the corpus', async t => {
	const words = ['sea', 'night', 'Anna', 'cats', 'dogs', 'paint', 'noon', 'grass'];
	// A small linear congruential generator (Numerical Recipes).
	let state = 1;
	const random = (below: number): number => {
		state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
		return Math.floor((state / 2 ** 32) * below);
	};
	const sentence = (): string => Array.from({length: 6}, () => words[random(words.length)]).join(' ');
	const corpus = Array.from({length: 80}, (_, i) => ({id: `p${i}`, text: sentence()}));
	const questions = Array.from({length: 60}, (_, i) => ({id: `q${i}`, text: sentence(), answers: [words[random(words.length)]!]}));
	const {examples, statistics} = await mineNegatives(questions, corpus, {hardNegatives: 3, randomNegatives: 3, goldNegatives: 3});
	t.is(examples.length + statistics.dropped.noPassageWithAnswer.length, 60);
	t.true(examples.length > 50);
	let missing = 0;
	for (const {answers, positives, hardNegatives, negatives} of examples) {
		t.true(hasAnswer(positives[0]!.text, answers));
		const all = [...hardNegatives, ...negatives];
		t.false(all.some(({text}) => hasAnswer(text, answers)));
		t.is(new Set([...positives, ...all].map(({id}) => id)).size, all.length + 1);
		missing += 9 - all.length;
	}
	const {hardNegatives, randomNegatives, goldNegatives} = statistics.missing;
	t.is(hardNegatives + randomNegatives + goldNegatives, missing);
});
