// Tests how passages are split into phrases.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {type Phrase, type PhraseLength, PhraseSegmenter, RetrievalError} from '../../ts/index.ts';

const texts = (phrases: readonly Phrase[]): string[] => phrases.map(({text}) => text);

test('each phrase has the given number of sentences, and the last phrase has the remaining ones', async t => {
	const text = 'Dr. Moss came in 1911. It rained! Why did she come? Nobody knows. She left.';
	const one = await PhraseSegmenter.open({sentences: 1});
	t.deepEqual(texts(one.segment(text)), ['Dr. Moss came in 1911.', 'It rained!', 'Why did she come?', 'Nobody knows.', 'She left.']);
	const three = await PhraseSegmenter.open({sentences: 3});
	t.deepEqual(texts(three.segment(text)), ['Dr. Moss came in 1911. It rained! Why did she come?', 'Nobody knows. She left.']);
	t.deepEqual(texts((await PhraseSegmenter.open({sentences: 9})).segment(text)), [text]);
	t.deepEqual(three.length, {sentences: 3});
});

test('offsets are UTF-16 code units, and no phrase contains the white space between phrases', async t => {
	const segmenter = await PhraseSegmenter.open({sentences: 1});
	const text = ' 🚁 Déjà vu.\n\n 東京。大阪！ ';
	t.deepEqual(segmenter.segment(text), [
		{text: '🚁 Déjà vu.', start: 1, end: 12},
		{text: '東京。', start: 15, end: 18},
		{text: '大阪！', start: 18, end: 21},
	]);
	t.deepEqual(segmenter.segment(' \n\u{3000}'), []);
	t.deepEqual(segmenter.segment(''), []);
});

test('if phrases are limited to a number of word pieces, each has as many whole words as fit', async t => {
	// In the vocabulary, "fox", "hen" and the punctuation marks are one piece each.
	const segmenter = await PhraseSegmenter.open({tokens: 4, model: 'tiny-encoder'});
	t.deepEqual(texts(segmenter.segment('fox hen, fox  hen fox hen. fox')), ['fox hen, fox', 'hen fox hen.', 'fox']);
	t.deepEqual(texts(segmenter.segment('fox hen fox hen-fox-hen fox')), ['fox hen fox hen', '-fox-hen', 'fox']);
	t.deepEqual(segmenter.length, {tokens: 4, model: 'tiny-encoder'});
	const byFolder = await PhraseSegmenter.open({tokens: 4, model: join(packageRoot, 'models/tiny-encoder')});
	t.deepEqual(byFolder.segment('fox hen fox hen fox'), segmenter.segment('fox hen fox hen fox'));
	t.deepEqual((await PhraseSegmenter.open({tokens: 75})).length, {tokens: 75, model: 'minilm-encoder'});
});

test('segmentMany returns the same phrases as segment for each text, in order', async t => {
	const many = Array.from({length: 700}, (_, i) => `Text no. ${i} is short. ${'It has a hen, e.g. Ada. '.repeat(i % 7)}`);
	// One call of the addon takes at most 256 texts and 2^18 UTF-16 code units, except that a single text may be longer.
	many[3] = '';
	many[400] = 'A long one. '.repeat(30_000);
	for (const length of [{sentences: 2}, {tokens: 16, model: 'tiny-encoder'}]) {
		const segmenter = await PhraseSegmenter.open(length);
		const seen: Array<{done: number; total: number}> = [];
		const found = await segmenter.segmentMany(many, {onProgress: progress => seen.push(progress)});
		t.deepEqual(
			found,
			many.map(text => segmenter.segment(text)),
		);
		t.deepEqual(seen.at(-1), {done: 700, total: 700});
		t.true(seen.every(({done}, i) => i === 0 || done >= seen[i - 1]!.done));
		t.deepEqual(await segmenter.segmentMany([]), []);
	}
});

test("an aborted call rejects with the signal's reason", async t => {
	const segmenter = await PhraseSegmenter.open({tokens: 16, model: 'tiny-encoder'});
	const long = Array.from({length: 20}, () => 'A long text about a hen. '.repeat(40_000));
	const controller = new AbortController();
	const reason = new Error('enough');
	setTimeout(() => controller.abort(reason), 20);
	t.is(await t.throwsAsync(segmenter.segmentMany(long, {signal: controller.signal})), reason);
	t.is(await t.throwsAsync(segmenter.segmentMany(['a'], {signal: AbortSignal.abort(reason)})), reason);
});

test("simple sentences end where Node's Intl.Segmenter ends them", async t => {
	const segmenter = await PhraseSegmenter.open({sentences: 1});
	const intlSegmenter = new Intl.Segmenter('en', {granularity: 'sentence'});
	for (const text of [
		'The mill burned down. It was never rebuilt. Who owned it? A man called Harlow!',
		'He said “no.” (She said yes.) They left at 3.14 past one. Then it rained... It poured.',
		'古い水車は焼けた。もう建て直されなかった！本当に？',
		'पुरानी चक्की जल गई। वह फिर कभी नहीं बनी।',
		'احترقت الطاحونة القديمة. من كان صاحبها؟ لا أحد يعرف.',
	]) {
		const expected = Array.from(intlSegmenter.segment(text), ({segment, index}) => {
			const trimmed = segment.trim();
			return {text: trimmed, start: index, end: index + trimmed.length};
		});
		t.deepEqual(segmenter.segment(text), expected);
	}
	// Intl.Segmenter does not know abbreviations.
	t.is([...intlSegmenter.segment('We met Lt. Harlow.')].length, 2);
	t.is(segmenter.segment('We met Lt. Harlow.').length, 1);
});

test('invalid lengths, models and texts are refused', async t => {
	const refused = async (length: unknown, code: string, message: string | RegExp): Promise<void> => {
		const error = await t.throwsAsync(PhraseSegmenter.open(length as PhraseLength), {instanceOf: RetrievalError, message});
		t.is(error.code, code as typeof error.code);
	};
	const expected = 'length: expected {sentences} or {tokens, model?}, got';
	await refused(3, 'ERR_ARGUMENT', `${expected} number`);
	await refused({}, 'ERR_ARGUMENT', `${expected} {}`);
	await refused({sentences: 1, tokens: 75}, 'ERR_ARGUMENT', `${expected} {sentences, tokens}`);
	await refused({sentences: 0}, 'ERR_ARGUMENT', 'sentences: expected a whole number of at least 1, got 0');
	await refused({tokens: 1.5}, 'ERR_ARGUMENT', 'tokens: expected a whole number of at least 1, got 1.5');
	await refused({tokens: 75, model: 'no-such-model'}, 'ERR_MODEL_MISSING', /expected a folder, one of minilm-encoder/u);
	const empty = await mkdtemp(join(tmpdir(), 'passagekit-phrases-'));
	t.teardown(async () => rm(empty, {recursive: true}));
	await refused({tokens: 75, model: empty}, 'ERR_MODEL', /expected a folder with tokenizer\.json, got none there/u);
	const segmenter = await PhraseSegmenter.open({sentences: 1});
	t.throws(() => segmenter.segment(7 as unknown as string), {message: 'text: expected a string, got number'});
	await t.throwsAsync(segmenter.segmentMany(['a', null] as unknown as string[]), {message: 'texts[1]: expected a string, got null'});
});
