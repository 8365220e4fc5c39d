/** Compares changes, filters and reads in a cluster with those of an embedded collection. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Collection, type Document, type Filter, RetrievalError} from '../../../ts/index.ts';
import {OpenSearchCollection} from '../../../ts/remote/index.ts';
import {cluster, create, newName, sameHits} from './support.ts';

/** Documents of several passages, with fields of all types. */
const documents: Document[] = [
	{
		id: 'lamp',
		title: 'Lamps',
		passages: [{text: 'a red lamp'}, {text: 'a lamp with a cable'}],
		fields: {price: 39.5, color: 'red', stock: true},
	},
	{
		id: 'chair',
		title: 'Chairs',
		text: 'a chair of wood',
		fields: {price: -2, color: ['brown', 'red'], stock: false, made: new Date('2024-05-31')},
	},
	{
		id: 'table',
		passages: [{text: 'a table'}, {text: 'of steel'}, {text: 'with a lamp'}],
		fields: {price: 1e300, color: '\u{1F6CB}', 'a.b': 'x'},
	},
	{id: 'a#b', text: 'a lamp without fields'},
	{id: 'zero', text: 'a lamp', fields: {price: 0, color: []}},
];

async function both(t: ExecutionContext, replicas = 1): Promise<{readonly remote: OpenSearchCollection; readonly embedded: Collection}> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-remote-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const embedded = await Collection.open(join(folder, 'index'), {create: true, encoder: false});
	t.teardown(async () => embedded.close({discard: true}));
	const remote = await create(t, {replicas});
	for (const one of [remote, embedded]) {
		t.is(await one.add(documents), documents.length);
	}
	await embedded.commit();
	await remote.refresh();
	return {remote, embedded};
}

const filters: readonly Filter[] = [
	{},
	{color: 'red'},
	{color: ['brown', 'green']},
	{not: {color: 'red'}},
	{price: {lt: 39.5}},
	{price: {lte: 39.5, gt: -2}},
	{price: {gte: -2, lt: 0}},
	{price: {gt: 1e200}},
	{price: 0},
	{price: {equals: -0}},
	{stock: true},
	{stock: {not: true}},
	{color: {gt: 'brown', lte: 'red'}},
	{color: {gte: 'r'}},
	{color: {prefix: 'r'}},
	{color: {exists: true}},
	{color: {exists: false}},
	{made: {gte: new Date('2024-01-01')}},
	{'a.b': 'x'},
	{ids: ['lamp#1', 'table#2', 'unknown']},
	{documents: ['a#b', 'zero']},
	{or: [{color: 'red'}, {documents: ['zero']}]},
	{or: []},
	{and: []},
	{and: [{stock: true}, {not: {ids: ['lamp#0']}}]},
	{in: {field: 'color', values: ['red']}},
];

export function documentTests(): void {
	test.serial('every kind of filter selects the passages that it selects in an embedded collection', async t => {
		const {remote, embedded} = await both(t);
		for (const filter of filters) {
			const what = JSON.stringify(filter);
			const options = {filter, k: 20, include: ['text', 'title', 'fields']} as const;
			const [actual, expected] = await Promise.all([remote.search('a lamp chair', options), embedded.search('a lamp chair', options)]);
			t.deepEqual(actual, expected, what);
			t.is(await remote.count({filter}), await embedded.count({filter}), what);
			t.is(await remote.count({filter, groupBy: 'document'}), await embedded.count({filter, groupBy: 'document'}), what);
		}
	});

	test.serial('a filter with a field or a type of value that no passage has is refused, as in an embedded collection', async t => {
		const {remote, embedded} = await both(t);
		for (const filter of [{prize: 5}, {price: {lt: '50'}}, {or: [{color: 'red'}, {not: {stock: 'yes'}}]}] as Filter[]) {
			const errors = await Promise.all(
				[remote, embedded].map(async one =>
					t.throwsAsync(one.search('lamp', {filter}), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT'}),
				),
			);
			// Both name the same part of the filter.
			t.is(errors[0]!.message.split(':')[0], errors[1]!.message.split(':')[0]);
		}
	});

	test.serial('pages, and one hit per document, are those of an embedded collection', async t => {
		const {remote, embedded} = await both(t);
		for (const options of [
			{k: 2},
			{k: 2, offset: 2},
			{k: 3, groupBy: 'document'},
			{k: 2, offset: 1, groupBy: 'document'},
			{k: 0},
		] as const) {
			t.deepEqual(await remote.search('a lamp', options), await embedded.search('a lamp', options), JSON.stringify(options));
		}
	});

	test.serial('passages are read by id, by document, with their neighbors and in order, as in an embedded collection', async t => {
		const {remote, embedded} = await both(t);
		const all = async (one: OpenSearchCollection | Collection) => collect(one.scan());
		t.deepEqual(await all(remote), await all(embedded));
		t.deepEqual(await collect(remote.scan({filter: {color: 'red'}})), await collect(embedded.scan({filter: {color: 'red'}})));
		const ids = ['table#1', 'unknown', 'a#b#0', 'lamp#0', 'table#1'];
		t.deepEqual(await remote.get(ids), await embedded.get(ids));
		t.deepEqual(await remote.passagesOfDocument('table'), await embedded.passagesOfDocument('table'));
		t.deepEqual(await remote.passagesOfDocument('none'), []);
		t.deepEqual(await remote.neighbors('table#1'), await embedded.neighbors('table#1'));
		t.deepEqual(await remote.neighbors({id: 'table#2'}, {before: 1, after: 5}), await embedded.neighbors('table#2', {before: 1, after: 5}));
		const {documents: count, passages} = await remote.stats();
		t.deepEqual({count, passages}, {count: 5, passages: 8});
	});

	test.serial(
		'after documents were replaced, deleted and given other fields, hits and statistics are those of an embedded collection',
		async t => {
			const {remote, embedded} = await both(t, 0);
			for (const one of [remote, embedded]) {
				t.is(
					await one.upsert([
						{id: 'table', text: 'a small table'},
						{id: 'new', text: 'a new lamp'},
					]),
					2,
				);
				t.is(await one.delete(['zero', 'unknown']), 1);
				t.is(await one.delete({filter: {color: 'brown'}}), 1);
				await one.setFields('lamp', {color: 'blue'});
			}
			// A shard keeps its most recent deletions for up to 30 seconds, so this takes that long.
			t.is(await remote.optimize(), 0);
			await embedded.optimize();
			t.deepEqual(await collect(remote.scan()).then(sorted), await collect(embedded.scan()).then(sorted));
			for (const query of ['a lamp', 'table', 'steel', 'chair', 'new cable']) {
				const [actual, expected] = await Promise.all([remote.search(query), embedded.search(query)]);
				sameHits(t, actual.hits, expected.hits, 0, query);
			}
			t.is(await remote.count({filter: {color: 'blue'}}), 2);
			t.is((await remote.stats()).deletedPassages, 0);
		},
	);

	test.serial('a document with an id that exists is refused by add, and no document of the call is changed', async t => {
		const {remote} = await both(t);
		const error = await t.throwsAsync(
			remote.add([
				{id: 'other', text: 'x'},
				{id: 'lamp', text: 'y'},
			]),
			{instanceOf: RetrievalError},
		);
		t.is((error as RetrievalError).code, 'ERR_DUPLICATE_ID');
		t.regex(error.message, /"lamp"/u);
		await remote.refresh();
		t.is(await remote.count(), 8);
		await t.throwsAsync(
			remote.add([
				{id: 'twice', text: 'x'},
				{id: 'twice', text: 'y'},
			]),
			{message: /"twice" twice/u},
		);
		await t.throwsAsync(remote.setFields('unknown', {}), {message: /expected the id of a document of the index, got "unknown"/u});
	});

	test.serial('of two calls that add the same documents at the same time, one succeeds for each document', async t => {
		const remote = await create(t);
		const one = Array.from({length: 8}, (_, i) => ({id: `d${i}`, passages: [{text: 'one'}, {text: 'one'}]}));
		const two = one.map(({id}) => ({id, passages: [{text: 'two'}, {text: 'two'}]}));
		const results = await Promise.allSettled([...one, ...two].map(async document => remote.add(document)));
		t.is(results.filter(({status}) => status === 'fulfilled').length, 8);
		t.true(results.every(result => result.status === 'fulfilled' || (result.reason as RetrievalError).code === 'ERR_DUPLICATE_ID'));
		await remote.refresh();
		for (const {id} of one) {
			const texts = (await remote.passagesOfDocument(id)).map(({text}) => text);
			t.true(texts.length === 2 && texts[0] === texts[1], `${id}: ${texts.join()}`);
		}
	});

	test.serial('a push that was stopped continues where it was', async t => {
		const remote = await create(t);
		const passages = Array.from({length: 3000}, (_, i) => ({id: `p${i}`, text: `passage number ${i}`}));
		const controller = new AbortController();
		const stop = remote.push(passages, {
			workers: 1,
			signal: controller.signal,
			onProgress: ({done}) => done >= 1000 && controller.abort(),
		});
		const reason: unknown = await stop.then(
			() => undefined,
			(error: unknown) => error,
		);
		t.is(reason, controller.signal.reason);
		await remote.refresh();
		const before = await remote.count();
		t.true(before >= 1000 && before < 3000, `${before}`);
		t.deepEqual(await remote.push(passages), {passages: 3000, written: 3000 - before});
		await remote.refresh();
		t.is(await remote.count(), 3000);
		// A passage that changed is written again; the others are not.
		t.deepEqual(await remote.push([...passages.slice(0, 9), {id: 'p9', text: 'changed'}, ...passages.slice(10)]), {
			passages: 3000,
			written: 1,
		});
	});

	test.serial('passages with any ids are pushed, and are deleted by id or by a filter', async t => {
		const remote = await create(t);
		const ids = ['C#_programming-1', 'C#_programming-2', 'd#0', 'd#1', 'd#3', 'plain', 'x#0'];
		await remote.push(ids.map(id => ({id, text: `a lamp ${id}`})));
		await remote.refresh();
		t.deepEqual(
			(await collect(remote.scan())).map(({id}) => id),
			ids,
		);
		t.is(await remote.delete('C#_programming-2'), 1);
		t.is(await remote.delete({filter: {ids: ['C#_programming-1', 'x#0']}}), 2);
		t.is(await remote.delete(['d', 'plain', 'unknown']), 2);
		await remote.refresh();
		t.deepEqual(
			(await collect(remote.scan())).map(({id}) => id),
			['d#3'],
		);
		await t.throwsAsync(
			remote.push([
				{id: 'twice', text: 'x'},
				{id: 'twice', text: 'y'},
			]),
			{code: 'ERR_DUPLICATE_ID'},
		);
	});

	test.serial('a push of a changed source deletes the passages that a document no longer has, and keeps the order', async t => {
		const remote = await create(t);
		const passages = (count: number) => Array.from({length: count}, (_, i) => ({id: `d#${i}`, text: 'a lamp'}));
		await remote.add({id: 'z', text: 'a lamp'});
		await remote.push([...passages(5), {id: 'b', text: 'a lamp'}]);
		await remote.add({id: 'a', text: 'a lamp'});
		t.deepEqual(await remote.push([...passages(3), {id: 'b', text: 'a lamp'}]), {passages: 4, written: 3});
		await remote.optimize();
		const ids = (await remote.search('lamp')).hits.map(({id}) => id);
		t.deepEqual(ids, ['z#0', 'd#0', 'd#1', 'd#2', 'b', 'a#0']);
		await remote.upsert({id: 'd', text: 'a lamp'});
		t.is(await remote.delete('b'), 1);
		await remote.refresh();
		t.deepEqual(
			(await collect(remote.scan())).map(({id}) => id),
			['z#0', 'a#0', 'd#0'],
		);
		// The longest id that a cluster accepts, and the longest value of a field.
		const id = 'é'.repeat(256);
		await remote.push([{id, text: 'a long id', fields: {f: 'é'.repeat(16_381)}}]);
		await remote.refresh();
		t.is(await remote.count({filter: {f: 'é'.repeat(16_381)}}), 1);
		t.is(await remote.delete(id), 1);
	});

	test.serial('an alias is moved to a rebuilt index in one step, and open collections then search that index', async t => {
		const alias = newName();
		const old = await create(t);
		await old.add({id: 'old', text: 'a lamp'});
		await old.refresh();
		t.deepEqual(await old.useAlias(alias), []);
		await using reader = await OpenSearchCollection.open(alias, {url: cluster().urls});
		t.deepEqual(
			(await reader.search('lamp')).hits.map(({id}) => id),
			['old#0'],
		);
		const rebuilt = await create(t);
		await rebuilt.add({id: 'new', text: 'a lamp'});
		await rebuilt.refresh();
		const oldName = (await old.stats()).index;
		t.deepEqual(await rebuilt.useAlias(alias), [oldName]);
		t.deepEqual(
			(await reader.search('lamp')).hits.map(({id}) => id),
			['new#0'],
		);
		// Writes through the alias also go to the new index.
		await reader.add({id: 'more', text: 'another lamp'});
		await rebuilt.refresh();
		t.is(await rebuilt.count(), 2);
		t.is(await old.count(), 1);
		// An index with other settings would need other queries.
		const other = await create(t, {k1: 1.2});
		await other.add({id: 'other', text: 'a lamp'});
		await other.refresh();
		await other.useAlias(alias);
		await t.throwsAsync(reader.search('lamp'), {code: 'ERR_REMOTE', message: /alias was moved and whose settings differ/u});
	});
}

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
	const collected: T[] = [];
	for await (const item of items) {
		collected.push(item);
	}
	return collected;
}

function sorted<T extends {readonly id: string}>(passages: readonly T[]): T[] {
	return [...passages].sort((a, b) => (a.id < b.id ? -1 : 1));
}
