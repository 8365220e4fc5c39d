// Tests the highlights of hits from a built collection, that is, one that `passagekit index` or `Collection.build` made.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {highlightsIn} from '../../ts/cli/search/highlights.ts';
import {type Bm25Index, Collection, type CollectionHit, encyclopedia, readDocuments} from '../../ts/index.ts';
import {passagekit} from '../support/command.ts';

/** Makes a temporary folder that is removed after the test. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-highlights-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

test('highlights in a built collection equal those of a live collection, which Collection.open creates', async t => {
	const folder = await temporaryFolder(t);
	const {articles, questions} = encyclopedia();
	const queries = (await questions('test')).map(({text}) => text);
	await using live = await Collection.open(join(folder, 'live'), {create: true, encoder: false});
	await live.upsert(readDocuments(articles));
	await live.commit();
	await using built = await Collection.build(articles, join(folder, 'built'), {encoder: false});
	const bm25 = (await built.searcher('bm25')) as Bm25Index;
	let count = 0;
	for (const query of queries) {
		const {hits} = await live.search(query, {k: 5, include: ['text', 'highlights']});
		for (const {text, highlights} of hits) {
			t.deepEqual(highlightsIn(text, query, bm25), [...highlights]);
			count += highlights.length;
		}
	}
	t.true(count > 1000, `${count} highlights were compared`);
});

test('`passagekit search` highlights the words of the query in a collection that `passagekit index` built', async t => {
	const folder = await temporaryFolder(t);
	const {articles} = encyclopedia();
	const indexed = await passagekit(['index', articles, '--output', join(folder, 'index'), '--no-encoder']);
	t.is(indexed.status, 0, indexed.stderr);
	const searched = await passagekit(['search', 'a bridge of steel', '-c', join(folder, 'index'), '-k', '1', '--json']);
	t.is(searched.status, 0, searched.stderr);
	const {hits} = JSON.parse(searched.stdout) as {hits: CollectionHit[]};
	const {text = '', highlights = []} = hits[0]!;
	const words = new Set(highlights.map(({start, end}) => text.slice(start, end).toLowerCase()));
	t.true(words.has('bridge') && words.has('steel'), [...words].join(', '));
	t.true(
		[...words].every(word => ['bridge', 'bridges', 'steel'].includes(word)),
		[...words].join(', '),
	);
});
