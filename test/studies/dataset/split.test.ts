import test from 'ava';
import {splitQuestions} from '../../../ts/studies/dataset/split.ts';

const questions = (count: number, perPassage: number, perDocument: number): Parameters<typeof splitQuestions>[0] =>
	Array.from({length: count}, (_, i) => ({
		id: `q${i}`,
		gold: `p${Math.floor(i / perPassage)}`,
		document: perDocument === 0 ? undefined : `d${Math.floor(i / perDocument)}`,
	}));

test('whole documents are for development, about a third of the questions, and the seed says which', t => {
	const of = questions(300, 2, 6);
	const {development, test: tested, by} = splitQuestions(of, 1);
	t.is(by, 'documents');
	t.is(development.length, 102); // 17 documents of 6; 16 of them are 96, which is not as near to 100.
	t.deepEqual([...development, ...tested].toSorted(), of.map(({id}) => id).toSorted());
	const documentOf = new Map(of.map(({id, document}) => [id, document]));
	const documents = new Set(development.map(id => documentOf.get(id)));
	t.is(documents.size, 17);
	t.false(tested.some(id => documents.has(documentOf.get(id))));
	t.deepEqual(splitQuestions(of, 1), {development, test: tested, by});
	t.notDeepEqual(splitQuestions(of, 2).development, development);
	// Which side a document is on does not depend on the order of the questions.
	t.deepEqual(splitQuestions(of.toReversed(), 1).development.toSorted(), development.toSorted());
});

test('where there are few documents gold passages are not parted, and where there are few of these, questions are', t => {
	t.is(splitQuestions(questions(300, 2, 30), 1).by, 'passages');
	t.is(splitQuestions(questions(300, 2, 0), 1).by, 'passages');
	const {by, development} = splitQuestions(questions(30, 10, 0), 1);
	t.is(by, 'questions');
	t.is(development.length, 10);
});
