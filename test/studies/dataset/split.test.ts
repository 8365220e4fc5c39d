// Tests how questions are split into development and test questions.
import test from 'ava';
import {splitDataset, splitQuestions} from '../../../ts/studies/dataset/split.ts';

/**
Returns `count` questions. Each group of `perPassage` consecutive questions has the same gold passage, and each group of
`perDocument` consecutive questions has the same document. If `perDocument` is 0, the questions have no documents.
*/
const questions = (count: number, perPassage: number, perDocument: number): Parameters<typeof splitQuestions>[0] =>
	Array.from({length: count}, (_, i) => ({
		id: `q${i}`,
		gold: `p${Math.floor(i / perPassage)}`,
		document: perDocument === 0 ? undefined : `d${Math.floor(i / perDocument)}`,
	}));

test('about a third of the questions are for development: all questions of some documents, which the seed determines', t => {
	const all = questions(300, 2, 6);
	const {development, test: tested, by} = splitQuestions(all, 1);
	t.is(by, 'documents');
	t.is(development.length, 102); // 17 documents of 6 questions; 16 documents would give 96, which is further from 100.
	t.deepEqual([...development, ...tested].toSorted(), all.map(({id}) => id).toSorted());
	const documentOf = new Map(all.map(({id, document}) => [id, document]));
	const documents = new Set(development.map(id => documentOf.get(id)));
	t.is(documents.size, 17);
	t.false(tested.some(id => documents.has(documentOf.get(id))));
	// The same seed gives the same split.
	t.deepEqual(splitQuestions(all, 1), {development, test: tested, by});
	t.notDeepEqual(splitQuestions(all, 2).development, development);
	// The split does not depend on the order of the questions.
	t.deepEqual(splitQuestions(all.toReversed(), 1).development.toSorted(), development.toSorted());
});

test('with few or no documents, the split is by gold passages, and with few passages, by questions', t => {
	t.is(splitQuestions(questions(300, 2, 30), 1).by, 'passages');
	t.is(splitQuestions(questions(300, 2, 0), 1).by, 'passages');
	const {by, development} = splitQuestions(questions(30, 10, 0), 1);
	t.is(by, 'questions');
	t.is(development.length, 10);
});

test('a list of questions can be split into two thirds for training and one third for tests', t => {
	const lists = [Array.from({length: 90}, (_, i) => ({id: `q${i}`, text: 'who?', answers: []}))];
	const gold = new Map(lists[0]!.slice(0, 60).map(({id}) => [id, `passage of ${id}`]));
	const training = {name: 'training', share: 2 / 3} as const;
	const {split, questions} = splitDataset(lists, gold, new Map(), 1, training);
	// Thirty questions have no gold passage.
	t.deepEqual([split.development.length, split.test.length, questions.length, split.by], [40, 20, 60, 'passages']);
	const onlyTests = [[], lists[0]!];
	t.throws(() => splitDataset(onlyTests, gold, new Map(), 1, training), {
		code: 'ERR_FORMAT',
		message: /expected training questions and at least 2 test questions .*, got 0 and 60$/u,
	});
	t.is(splitDataset(onlyTests, gold, new Map(), 1, {...training, mayLack: true}).split.test.length, 60);
});
