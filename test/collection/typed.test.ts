// Tests that a collection whose fields have a declared type returns, at run time, the values that the types of the API promise. For
// example, a declared `Date` is returned as a string. The types themselves are tested in test/types.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import {Collection, type Document, RetrievalError} from '../../ts/index.ts';

/** The declared type of the fields. */
interface Product {
	price?: number;
	category: 'light' | 'desk';
	added: Date;
	tags: string[];
	changes?: Date[];
}

const products: Array<Document<Product>> = [
	{id: 'lamp', text: 'a lamp', fields: {price: 39, category: 'light', added: new Date(Date.UTC(2024, 0, 1)), tags: ['red', 'new']}},
	{
		id: 'desk',
		text: 'a desk',
		fields: {
			category: 'desk',
			added: '2025-06-01T00:00:00.000Z',
			tags: ['red'],
			changes: [new Date(Date.UTC(2025, 6, 1)), '2025-08-01T00:00:00.000Z'],
		},
	},
	{id: 'bare', text: 'a bare lamp', fields: {price: 5, category: 'light', added: new Date(Date.UTC(2023, 0, 1)), tags: []}},
];

/** Creates a collection of the products, which is removed after the test. */
async function shopOf(t: ExecutionContext): Promise<Collection<Product>> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-typed-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	const shop = await Collection.open<Product>(join(path, 'index'), {create: true, encoder: false});
	t.teardown(async () => shop.close({discard: true}));
	await shop.add(products);
	await shop.commit();
	return shop;
}

/** Returns the ids of the documents that match a filter, sorted. */
async function matching(shop: Collection<Product>, filter: NonNullable<Parameters<typeof shop.count>[0]>['filter']): Promise<string[]> {
	const documents: string[] = [];
	for await (const {document} of shop.scan({filter})) {
		documents.push(document);
	}
	return documents.sort();
}

test('declared dates are read as ISO strings, arrays as arrays, and missing fields are missing', async t => {
	const shop = await shopOf(t);

	const [lamp] = await shop.passagesOfDocument('lamp');
	const [desk] = await shop.get(['desk#0']);
	const [bare] = await shop.passagesOfDocument('bare');

	t.deepEqual(lamp!.fields, {price: 39, category: 'light', added: '2024-01-01T00:00:00.000Z', tags: ['red', 'new']});
	t.deepEqual(desk!.fields, {
		category: 'desk',
		added: '2025-06-01T00:00:00.000Z',
		tags: ['red'],
		changes: ['2025-07-01T00:00:00.000Z', '2025-08-01T00:00:00.000Z'],
	});
	t.deepEqual(bare!.fields.tags, []);
	const {hits} = await shop.search('desk', {include: ['fields']});
	t.deepEqual(hits[0]!.fields, desk!.fields);
});

test('filters with declared fields match optional fields, arrays and dates', async t => {
	const shop = await shopOf(t);

	t.deepEqual(await matching(shop, {price: {lt: 50}}), ['bare', 'lamp']);
	t.deepEqual(await matching(shop, {price: {exists: false}}), ['desk']);
	t.deepEqual(await matching(shop, {price: {not: 39}}), ['bare', 'desk'], 'a document without the field does not have the value');
	t.deepEqual(await matching(shop, {tags: 'red'}), ['desk', 'lamp']);
	t.deepEqual(await matching(shop, {tags: {exists: false}}), ['bare'], 'an empty array counts as missing');
	t.deepEqual(await matching(shop, {added: {gte: new Date(Date.UTC(2024, 0, 1)), lt: '2025'}}), ['lamp']);
	t.deepEqual(await matching(shop, {changes: {gt: new Date(Date.UTC(2025, 6, 15))}}), ['desk']);
	t.deepEqual(await matching(shop, {category: {gte: 'desk', lt: 'e'}}), ['desk'], 'strings have an order');
	t.is(await shop.count({filter: {or: [{category: 'desk'}, {price: 5}]}}), 2);
});

test('values of declared fields are counted and sorted', async t => {
	const shop = await shopOf(t);

	t.deepEqual(await shop.facets('category'), [
		{value: 'light', count: 2},
		{value: 'desk', count: 1},
	]);
	t.deepEqual(await shop.facets('tags'), [
		{value: 'red', count: 2},
		{value: 'new', count: 1},
	]);
	t.deepEqual(await shop.facets('added', {filter: {category: 'desk'}}), [{value: '2025-06-01T00:00:00.000Z', count: 1}]);
	const newest = await shop.list({sortBy: 'added', order: 'descending'});
	t.deepEqual(
		newest.map(({document}) => document),
		['desk', 'lamp', 'bare'],
	);
});

test('fields that were read can be changed and written back', async t => {
	const shop = await shopOf(t);

	const [desk] = await shop.passagesOfDocument('desk');
	await shop.setFields('desk', {...desk!.fields, price: 250});
	await shop.commit();

	t.deepEqual((await shop.passagesOfDocument('desk'))[0]!.fields, {...desk!.fields, price: 250});
	t.deepEqual(await matching(shop, {added: {gte: new Date(Date.UTC(2025, 0, 1))}}), ['desk'], 'the date is still a date');
});

test('documents are not checked against the declared type when they are added', async t => {
	const shop = await shopOf(t);
	const untyped: Collection = shop;

	await untyped.add({id: 'odd', text: 'an odd lamp', fields: {price: 'cheap'}});
	await shop.commit();

	t.deepEqual((await shop.passagesOfDocument('odd'))[0]!.fields, {price: 'cheap'} as never);
	const misspelled = await t.throwsAsync(untyped.count({filter: {prise: 5}}), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT'});
	t.regex(misspelled!.message, /prise/u, 'a filter on a field that no document has is refused at run time');
});
