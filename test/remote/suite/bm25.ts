/** Compares BM25 in a cluster with embedded BM25. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Bm25Index, Collection, type Passage, encyclopedia, readQuestions} from '../../../ts/index.ts';
import {sharedFile} from '../../support/shared.ts';
import {OpenSearchCollection} from '../../../ts/remote/index.ts';
import {cluster, create, sameRuns} from './support.ts';

/** Maximum number of queries per corpus. */
const MAX_QUERIES = 60;

/** Searches a corpus in three shards and in an embedded index, and fails unless all hits and scores are the same, bit for bit. */
async function compare(
	t: ExecutionContext,
	corpus: string,
	queries: ReadonlyArray<{readonly id: string; readonly text: string}>,
): Promise<void> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const embedded = await Collection.build(corpus, join(folder, 'index'), {encoder: false});
	t.teardown(async () => embedded.close());
	const remote = await create(t);
	const {passages, written} = await remote.push(corpus);
	t.is(passages, embedded.manifest.passages);
	t.is(written, passages);
	await remote.refresh();
	t.is((await remote.stats()).passages, passages);
	const step = Math.ceil(queries.length / MAX_QUERIES);
	const sample = queries.filter((_, i) => i % step === 0);
	const searcher = await remote.searcher('bm25');
	const run = await searcher.searchMany(sample, {k: 100});
	sameRuns(t, run, await embedded.bm25.searchMany(sample, {k: 100}), 0);
	t.true([...run.values()].every(hits => hits.length > 0));
}

async function questionsOf(path: string): Promise<Array<{id: string; text: string}>> {
	const questions = [];
	for await (const {id, text} of readQuestions(path)) {
		questions.push({id, text});
	}
	return questions;
}

export function bm25Tests(): void {
	for (const [name, corpusPath, queriesPath] of [
		['SciFact', 'data/ir/scifact/corpus.jsonl.gz', 'data/ir/scifact/queries.jsonl.gz'],
		['SQuAD', 'data/squad/psgs_w100.squad-dev.tsv.gz', 'data/squad/squad-dev.qas.jsonl.gz'],
	] as const) {
		const title = `${name}: BM25 hits, their order and the bits of their scores are those of an embedded index`;
		const [corpus, queries] = [sharedFile(...corpusPath.split('/')), sharedFile(...queriesPath.split('/'))];
		if (corpus === undefined || queries === undefined) {
			test.skip(title, () => {});
		} else {
			test.serial(title, async t => compare(t, corpus, await questionsOf(queries)));
		}
	}

	test.serial('encyclopedia: BM25 hits, their order and the bits of their scores are those of an embedded index', async t => {
		const {articles, questions} = encyclopedia();
		await compare(t, articles, await questions('test'));
	});

	test.serial('with statistics of each shard, scores differ from those of an embedded index', async t => {
		const passages: Passage[] = Array.from({length: 30}, (_, i) => ({id: `p${i}`, text: i % 3 === 0 ? 'a fox' : 'a hen and a fox'}));
		const name = `statistics-${process.pid}`;
		const global = await create(t, {}, name);
		await global.push(passages);
		await global.refresh();
		await using shard = await OpenSearchCollection.open(name, {url: cluster().urls, statistics: 'shard'});
		const [a, b] = await Promise.all([global, shard].map(async one => (await one.search('hen', {k: 30})).hits));
		t.is(a!.length, 20);
		t.is(b!.length, 20);
		// All 20 passages have the same text, so with the statistics of the whole index, all scores are equal.
		t.is(new Set(a!.map(({score}) => score)).size, 1);
		t.true(new Set(b!.map(({score}) => score)).size > 1);
	});

	test.serial(
		'terms that repeat in a query, and terms with spaces of other alphabets or of any length, count as in an embedded index',
		async t => {
			const long = 'x'.repeat(40_000);
			const passages: Passage[] = [
				{id: 'a', title: 'Tab\u001Cbed', text: `fox ${long} hen\u00A0egg`},
				{id: 'b', text: `fox fox hen ${long}y`},
				{id: 'c', text: 'Tab bed fox egg'},
				{id: 'd', text: ''},
			];
			const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
			t.teardown(async () => rm(folder, {recursive: true, force: true}));
			const embedded = await Bm25Index.build(join(folder, 'index'), passages, {analyzer: 'whitespace'});
			t.teardown(() => embedded.close());
			const remote = await create(t, {analyzer: 'whitespace'});
			await remote.push(passages);
			await remote.refresh();
			const queries = ['fox fox fox hen', 'Tab\u001Cbed', 'Tab', 'hen\u00A0egg fox', long, 'nothing', ''].map((text, i) => ({
				id: `q${i}`,
				text,
			}));
			const expected = await embedded.searchMany(queries, {k: 10});
			sameRuns(t, await (await remote.searcher('bm25')).searchMany(queries, {k: 10}), expected, 0);
			t.deepEqual(
				[...expected.values()].map(hits => hits.length),
				[3, 2, 2, 3, 2, 0, 0],
			);
		},
	);
}
