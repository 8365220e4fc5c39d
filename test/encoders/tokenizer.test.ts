// Tests `Tokenizer`, which splits texts into the word pieces of a model.
import test from 'ava';
import {VocabularyProjection} from '../../ts/index.ts';
import {Tokenizer} from '../../ts/encoders/index.ts';

const tokenizer = await Tokenizer.load('minilm-encoder');
const tokensOf = (ids: Uint32Array): Array<string | undefined> => [...ids].map(id => tokenizer.token(id));

test('texts are split into the word pieces of the model, without special tokens', t => {
	// Ids in the vocabulary of bert-base-uncased: hello 7592, comma 1010, world 2088, ! 999.
	t.deepEqual([...tokenizer.tokenize('Hello, wörld!')], [7592, 1010, 2088, 999]);
	t.deepEqual(tokensOf(tokenizer.tokenize('Word embeddings ☃ [SEP]')), ['word', 'em', '##bed', '##ding', '##s', '[UNK]', '[', 'sep', ']']);
	t.is(tokenizer.tokenize('').length, 0);
	t.is(tokenizer.size, 30_522);
	t.is(tokenizer.token(101), '[CLS]');
	t.is(tokenizer.token(30_522), undefined);
});

test('tokenizeMany returns the word pieces of each text, and none for an empty text', async t => {
	const texts = [
		'Hello, wörld!',
		'',
		'naïve 東京 café',
		...Array.from({length: 3000}, (_, i) => `text number ${i} ${'of words '.repeat(i % 70)}`),
	];
	const progress: number[] = [];
	const {ids, offsets} = await tokenizer.tokenizeMany(texts, {onProgress: ({done, total}) => progress.push(done / total)});
	t.is(offsets.length, texts.length + 1);
	for (const [i, text] of texts.entries()) {
		t.deepEqual(ids.subarray(offsets[i], offsets[i + 1]), tokenizer.tokenize(text));
	}
	t.is(progress.at(-1), 1);
	const empty = await tokenizer.tokenizeMany([]);
	t.deepEqual([...empty.offsets, empty.ids.length], [0, 0]);
});

test('a vocabulary projection splits texts into the same tokens', async t => {
	const projection = await VocabularyProjection.load('minilm-mlm-head');
	const text = "What's the boiling-point of H2O (at 1,013 hPa)?";
	t.deepEqual([...tokenizer.tokenize(text)], [...projection.tokenize(text).ids]);
});

test('invalid texts are refused, and a call can be canceled', async t => {
	t.throws(() => tokenizer.tokenize(7 as never), {message: 'text: expected a string, got number'});
	await t.throwsAsync(tokenizer.tokenizeMany('text' as never), {message: 'texts: expected an array of strings, got string'});
	await t.throwsAsync(tokenizer.tokenizeMany(['a', 1 as never]), {message: 'texts[1]: expected a string, got number'});
	await t.throwsAsync(tokenizer.tokenizeMany(['a'], {signal: AbortSignal.abort()}), {any: true, name: 'AbortError'});
	await t.throwsAsync(Tokenizer.load('/no/such/folder'), {message: /no\/such\/folder/u});
	t.throws(() => tokenizer.token(-1), {message: /^id: expected a whole number/u});
});
