// Tests analyzers: which terms they produce, how an index stores its analyzer, and which analyzers are refused.
import {cp, mkdtemp, readFile, readdir, rm, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {type Analyzer, Bm25Index, Bm25Writer, Collection, type Passage, RetrievalError, snowballLanguages} from '../../ts/index.ts';

const passages: Passage[] = [
	{id: 'a', text: "The Navy's ships were running"},
	{id: 'b', text: 'Die Häuser der Städte'},
];

const model = join(packageRoot, 'models', 'tiny-encoder');

/** Creates a folder that is deleted after the test. */
async function folder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-analyzer-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Builds an index of the passages above with an analyzer. */
async function built(t: ExecutionContext, analyzer: Analyzer): Promise<{index: Bm25Index; path: string}> {
	const path = join(await folder(t), 'index');
	return {index: await Bm25Index.build(path, passages, {analyzer}), path};
}

test('each analyzer produces its own terms, and an index reports its analyzer', async t => {
	const cases: Array<[Analyzer, object, string[]]> = [
		['english', {type: 'english'}, ['navi', 'ship', 'were', 'run']],
		[{type: 'simple'}, {type: 'simple'}, ['the', 'navy', 's', 'ships', 'were', 'running']],
		['whitespace', {type: 'whitespace'}, ['The', "Navy's", 'ships', 'were', 'running']],
		['snowball:english', {type: 'snowball', language: 'english'}, ['navi', 'ship', 'were', 'run']],
		[
			{type: 'snowball', language: 'french', stopWords: []},
			{type: 'snowball', language: 'french', stopWords: []},
			['the', "navy'", 'ship', 'wer', 'running'],
		],
		[{type: 'english', stopWords: ['Were', 'ships', 'ships']}, {type: 'english', stopWords: ['ships', 'were']}, ['the', 'navi', 'run']],
	];
	for (const [analyzer, description, terms] of cases) {
		const {index} = await built(t, analyzer);
		t.deepEqual(index.analyzer, {version: 1, ...description} as typeof index.analyzer);
		t.deepEqual(index.terms(passages[0]!.text), terms, JSON.stringify(analyzer));
	}
	const {index} = await built(t, 'snowball:german');
	t.deepEqual(
		(await index.search('Haus')).map(({id}) => id),
		['b'],
	);
});

test('snowballLanguages lists the languages that the addon supports', async t => {
	const golden = await readFile(join(packageRoot, 'crates/sparse/tests/analyzers.golden.txt'), 'utf8');
	t.deepEqual(
		[...snowballLanguages],
		[...golden.matchAll(/^snowball:(\w+)/gmu)].map(([, name]) => name!),
	);
});

test('an index of word pieces can be searched without the model folder, because it has a copy of the tokenizer', async t => {
	const home = await folder(t);
	const [tokenizer, path] = [join(home, 'model'), join(home, 'index')];
	await cp(model, tokenizer, {recursive: true});
	const index = await Bm25Index.build(path, passages, {analyzer: {type: 'wordpiece', tokenizer}});
	await rm(tokenizer, {recursive: true});
	const terms = index.terms('Häuser');
	t.true(terms.length > 1 && terms.slice(1).every(term => term.startsWith('##')), terms.join(' '));
	const opened = await Bm25Index.open(path, {analyzer: {type: 'wordpiece', tokenizer: model}});
	t.is((await opened.search('Häuser'))[0]!.id, 'b');
	// The analyzer that an index reports can be used to build another index.
	const {analyzer} = opened;
	t.true(analyzer.type === 'wordpiece' && analyzer.tokenizer.startsWith(path));
	const other = await Bm25Index.build(join(home, 'other'), passages, {analyzer});
	t.deepEqual(other.terms('Häuser'), terms);
	t.is((await readdir(join(home, 'other'))).filter(name => name.startsWith('tokenizer-')).length, 1);

	const copy = (await readdir(path)).find(name => name.startsWith('tokenizer-'));
	await writeFile(join(path, copy!), '{}');
	await t.throwsAsync(Bm25Index.open(path), {code: 'ERR_INDEX_CORRUPT', message: /expected SHA-256 [\da-f]{64}, got [\da-f]{64}$/u});
	await rm(join(path, copy!));
	await t.throwsAsync(Bm25Writer.open(path), {code: 'ERR_INDEX_CORRUPT', message: /got no such file$/u});
});

test('opening an index with an analyzer that differs from its own is refused, for reading and for writing', async t => {
	const {index, path} = await built(t, {type: 'snowball', language: 'german'});
	const message = `open ${path}: expected an index made with the analyzer english, got one made with snowball:german`;
	await t.throwsAsync(Bm25Index.open(path, {analyzer: 'english'}), {instanceOf: RetrievalError, code: 'ERR_ANALYZER_MISMATCH', message});
	await t.throwsAsync(Bm25Writer.open(path, {analyzer: 'english'}), {code: 'ERR_ANALYZER_MISMATCH', message});
	for (const analyzer of [index.analyzer, 'snowball:german'] as const) {
		t.is((await Bm25Index.open(path, {analyzer})).size, 2);
		await (await Bm25Writer.open(path, {analyzer})).close();
	}
	await t.throwsAsync(Bm25Index.open(path, {analyzer: {type: 'snowball', language: 'german', stopWords: ['der']}}), {
		code: 'ERR_ANALYZER_MISMATCH',
		message: /snowball:german with 1 stop word \(der; [\da-f]{8}\), got one made with snowball:german$/u,
	});
});

test('an index made with another version of its analyzer is refused', async t => {
	const {path} = await built(t, 'simple');
	const meta = join(path, 'meta.json');
	const text = await readFile(meta, 'utf8');
	await writeFile(meta, text.replace(String.raw`\"version\":1`, String.raw`\"version\":7`));
	await t.throwsAsync(Bm25Index.open(path), {
		code: 'ERR_INDEX_VERSION',
		message: `${path}: expected version 1, got version 7 of the analyzer simple; build it again, or use the release that made it`,
	});
});

test('invalid analyzers are refused before any file is created', async t => {
	const path = join(await folder(t), 'index');
	const refused = async (analyzer: unknown): Promise<string> => {
		const error = await t.throwsAsync(Bm25Index.build(path, passages, {analyzer: analyzer as Analyzer}), {instanceOf: RetrievalError});
		return `${error.code} ${error.message}`;
	};
	const start = 'ERR_ARGUMENT analyzer:';
	t.is(
		await refused('klingon'),
		`${start} expected english, simple, whitespace, snowball:<language> or {type: …}, such as {type: 'wordpiece', tokenizer: …}, got "klingon"`,
	);
	t.is(await refused(7), `${start} expected a name or {type: …}, got number`);
	t.is(await refused({type: 'klingon'}), `${start} type: expected one of english, simple, whitespace, snowball, wordpiece, got "klingon"`);
	t.regex(await refused('snowball:klingon'), /^ERR_ARGUMENT analyzer: language: expected one of arabic, .* yiddish, got "klingon"$/u);
	t.is(await refused({type: 'english', stopWords: 'the'}), `${start} stopWords: expected an array of strings, got string`);
	t.is(
		await refused({type: 'english', stopWords: ['a', '']}),
		'ERR_ARGUMENT stop words: expected non-empty words, got an empty word at position 1',
	);
	t.is(await refused({type: 'wordpiece'}), `${start} tokenizer: expected a string, got undefined`);
	t.regex(await refused({type: 'wordpiece', tokenizer: join(path, 'none')}), /^ERR_IO open tokenizer /u);
	t.regex(await refused({type: 'wordpiece', tokenizer: join(model, 'config.json')}), /^ERR_MODEL tokenizer /u);
	await t.throwsAsync(Bm25Index.open(path), {code: 'ERR_IO'}, 'no index was created');
});

test('a collection accepts any analyzer and names it in its manifest', async t => {
	const path = join(await folder(t), 'collection');
	const analyzer: Analyzer = {type: 'wordpiece', tokenizer: model, stopWords: ['##s']};
	await using collection = await Collection.build(passages, path, {encoder: false, analyzer});
	t.is(collection.manifest.analyzer, 'wordpiece');
	t.is((await (await collection.searcher('bm25')).search('running'))[0]!.id, 'a');
});
