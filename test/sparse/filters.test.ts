// Tests passage fields and filters of BM25 searches.
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import test, {type ExecutionContext} from 'ava';
import * as fc from 'fast-check';
import {Bm25Index, Bm25Writer, type Filter, type Passage, type PassageFields, RetrievalError} from '../../ts/index.ts';

const passages: Passage[] = [
	{id: 'a', text: 'fox', fields: {language: 'en', year: 1999, tags: ['red', 'wild']}},
	{id: 'b', text: 'fox fox', fields: {language: 'de', year: 2001, checked: true}},
	{id: 'c', text: 'fox hen', fields: {language: 'en', year: 2024, tags: ['wild']}},
	{id: 'd', text: 'fox and hen'},
];

/** Builds an index of passages. */
async function built(t: ExecutionContext, contents = passages): Promise<{index: Bm25Index; path: string}> {
	const folder = await mkdtemp(join(tmpdir(), 'passagekit-filters-'));
	t.teardown(async () => rm(folder, {recursive: true, force: true}));
	const path = join(folder, 'index');
	return {index: await Bm25Index.build(path, contents), path};
}

/** Returns the ids of the hits for `fox` with a filter, in alphabetical order and joined. */
async function found(index: Bm25Index, filter: Filter): Promise<string> {
	const hits = await index.search('fox', {filter});
	return hits
		.map(({id}) => id)
		.toSorted()
		.join('');
}

test('a filter selects the passages that it describes', async t => {
	const {index} = await built(t);
	let deepest: Filter = {ids: ['a']};
	for (let depth = 1; depth < 32; depth++) {
		deepest = {and: [deepest]};
	}
	const cases: [Filter, string][] = [
		[{ids: ['d', 'a', 'nobody']}, 'ad'],
		[{equals: {field: 'language', value: 'en'}}, 'ac'],
		[{equals: {field: 'year', value: 2001}}, 'b'],
		[{equals: {field: 'checked', value: true}}, 'b'],
		[{equals: {field: 'tags', value: 'wild'}}, 'ac'],
		[{in: {field: 'year', values: [1999, 2024]}}, 'ac'],
		[{range: {field: 'year', gte: 1999, lt: 2024}}, 'ab'],
		[{range: {field: 'language', gt: 'de'}}, 'ac'],
		[{exists: {field: 'tags'}}, 'ac'],
		[{and: [{equals: {field: 'language', value: 'en'}}, {range: {field: 'year', gt: 2000}}]}, 'c'],
		[{or: [{equals: {field: 'language', value: 'de'}}, {ids: ['c']}]}, 'bc'],
		[{not: {equals: {field: 'language', value: 'en'}}}, 'bd'],
		[{exists: {field: 'nothing'}}, ''],
		[{not: {exists: {field: 'nothing'}}}, 'abcd'],
		[{and: []}, 'abcd'],
		[{or: []}, ''],
		[deepest, 'a'],
	];
	for (const [filter, expected] of cases) {
		t.is(await found(index, filter), expected, JSON.stringify(filter));
	}
});

test('unknown fields, and values whose type the field never has, are refused', async t => {
	const {index, path} = await built(t);
	const known = 'expected a field that passages of the index have ("checked", "language", "tags", "year")';
	const cases: [Filter, string][] = [
		[{equals: {field: 'yaer', value: 1999}}, `filter.equals.field: ${known}, got "yaer"`],
		[{equals: {field: 'Language', value: 'en'}}, `filter.equals.field: ${known}, got "Language"; did you mean "language"?`],
		[{and: [{or: []}, {not: {in: {field: 'nothing', values: []}}}]}, `filter.and[1].not.in.field: ${known}, got "nothing"`],
		[{range: {field: 'year', lt: '50'}}, 'filter.range.lt: expected a number like all values of "year", got the string "50"'],
		[{equals: {field: 'language', value: 1}}, 'filter.equals.value: expected a string like all values of "language", got the number 1'],
		[
			{in: {field: 'checked', values: [true, 'yes']}},
			'filter.in.values[1]: expected a boolean like all values of "checked", got the string "yes"',
		],
	];
	for (const [filter, message] of cases) {
		await t.throwsAsync(index.search('fox', {filter}), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
		await t.throwsAsync(index.searchMany([{id: 'q', text: 'fox'}], {filter}), {code: 'ERR_ARGUMENT', message});
	}
	const writer = await Bm25Writer.open(path);
	await writer.delete(['a', 'b', 'c', 'd']);
	await writer.commit();
	await writer.close();
	await index.reload();
	t.is(await found(index, {equals: {field: 'nothing', value: 1}}), '', 'an index without passages accepts any filter');
});

test('a filter does not change scores, and k counts only the passages that it selects', async t => {
	const {index} = await built(t);
	const all = await index.search('fox hen');
	const filter: Filter = {equals: {field: 'language', value: 'en'}};
	const expected = all.filter(({id}) => id === 'a' || id === 'c');
	t.deepEqual(await index.search('fox hen', {filter}), expected);
	t.deepEqual(await index.search('fox hen', {filter, k: 1}), expected.slice(0, 1));
	const terms = [
		{term: 'fox', weight: 1},
		{term: 'hen', weight: 1},
	];
	t.deepEqual(await index.searchTerms(terms, {filter}), expected);
	const run = await index.searchMany([{id: 'q', text: 'fox hen'}], {filter});
	t.deepEqual(run.get('q'), expected);
});

test('fields are returned as they were given, whatever their names', async t => {
	const fields: PassageFields = {
		'a.b': 'dots',
		'back\\slash': 'x',
		größe: 1.5,
		big: 2 ** 53,
		tiny: 5e-324,
		no: false,
		none: [],
		one: ['x'],
		text: 'é😀\u0000\n',
	};
	/** The same fields, and one whose name is special in JavaScript. */
	const fieldsWithProto = {...fields, ...(JSON.parse('{"__proto__": "an own property"}') as PassageFields)};
	const {index, path} = await built(t, [
		{id: 'a', text: 'fox', fields},
		{id: 'b', text: 'fox'},
		{id: 'c', text: 'fox', fields: {}},
		{id: 'd', text: 'fox', fields: fieldsWithProto},
	]);
	for (const each of [index, await Bm25Index.open(path)]) {
		t.deepEqual(await each.fields('a'), fields);
		t.deepEqual(await each.fields('b'), {});
		t.deepEqual(await each.fields('c'), {});
		t.deepEqual(await each.fields('d'), fieldsWithProto);
		t.is(await found(each, {equals: {field: 'a.b', value: 'dots'}}), 'ad');
		t.is(await found(each, {range: {field: 'big', gt: 2 ** 53 - 1, lt: 2 ** 53 + 2}}), 'ad');
	}
	await t.throwsAsync(index.fields('nobody'), {
		code: 'ERR_ARGUMENT',
		message: 'fields: expected a passage of the index, got id "nobody"',
	});
});

test('any fields are returned and can be found by their values', async t => {
	const text = fc.string({unit: 'grapheme'});
	const scalar = fc.oneof(text, fc.double({noNaN: true, noDefaultInfinity: true}), fc.boolean());
	const name = fc.string({unit: 'grapheme', minLength: 1, maxLength: 12});
	const fields = fc.dictionary(name, fc.oneof(scalar, fc.array(text)), {maxKeys: 5, noNullPrototype: true});
	await fc.assert(
		fc.asyncProperty(fc.array(fields, {minLength: 1, maxLength: 5}), async all => {
			const {index} = await built(
				t,
				all.map((each, i) => ({id: String(i), text: 'fox', fields: each})),
			);
			for (const [i, each] of all.entries()) {
				// −0 is stored as 0, as in JSON.
				t.deepEqual(await index.fields(String(i)), JSON.parse(JSON.stringify(each)));
				for (const [field, value] of Object.entries(each)) {
					const values = Array.isArray(value) ? value : [value];
					// A field whose value is an empty array counts as missing.
					const filter: Filter = values.length > 0 ? {in: {field, values}} : {exists: {field}};
					t.is((await found(index, filter)).includes(String(i)), values.length > 0, JSON.stringify(filter));
				}
			}
		}),
		{numRuns: 15},
	);
});

test('a writer adds and replaces fields, even if only some passages have fields', async t => {
	const {index, path} = await built(t);
	const writer = await Bm25Writer.open(path);
	const more = Array.from({length: 600}, (_, i) => ({id: `m${i}`, text: 'fox', ...(i % 7 === 3 && {fields: {i}})}));
	t.is(await writer.add(more), 600);
	await writer.update([
		{id: 'a', text: 'fox', fields: {year: 2020}},
		{id: 'b', text: 'fox'},
	]);
	await writer.commit();
	await writer.close();
	t.is(await found(index, {exists: {field: 'language'}}), 'abc', 'changes are not visible before reload');
	await index.reload();
	t.is(await found(index, {exists: {field: 'language'}}), 'c');
	t.is(await found(index, {range: {field: 'year', gte: 2000}}), 'ac');
	t.deepEqual(await index.fields('b'), {});
	const numbered = await index.search('fox', {k: 1000, filter: {exists: {field: 'i'}}});
	t.deepEqual(
		numbered.map(({id}) => id),
		more.filter((_, i) => i % 7 === 3).map(({id}) => id),
	);
});

test('every kind of search refuses a malformed filter and says where in the filter the error is', async t => {
	const {index} = await built(t);
	const cases: [unknown, string][] = [
		['year > 2000', 'filter: expected a filter such as {price: {lt: 50}}, got string'],
		[
			{or: [{year: {gte: 'a', lt: 1}}]},
			'filter.or[0].year: expected bounds that are both numbers or both strings, got a string and a number',
		],
	];
	for (const [filter, message] of cases) {
		const options = {filter: filter as Filter};
		await t.throwsAsync(index.search('fox', options), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
		await t.throwsAsync(index.searchMany([], options), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
		await t.throwsAsync(index.searchTerms([], options), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
	}
	t.is(await found(index, {range: {field: 'year', gte: 2000, lt: undefined}}), 'bc', 'undefined counts as no bound');
});

test('the error for invalid fields names the passage and the field, and no data is lost', async t => {
	const {index, path} = await built(t);
	const writer = await Bm25Writer.open(path);
	const cases: [unknown, string | RegExp][] = [
		[
			{year: Number.NaN},
			'passage 1: fields.year: expected a string, a finite number, a boolean, a Date or an array of strings and Dates, got NaN',
		],
		[{year: null}, /^passage 1: fields\.year: expected .*, got null$/u],
		[{year: undefined}, /^passage 1: fields\.year: expected .*, got undefined$/u],
		[{added: new Date(Number.NaN)}, 'passage 1: fields.added: expected a Date in the years 0000 to 9999, got an invalid Date'],
		[{added: new Date(-1e15)}, /^passage 1: fields\.added: expected a Date in the years 0000 to 9999, got -029719-/u],
		[{added: ['x', new Date(1e15)]}, /^passage 1: fields\.added\[1\]: expected a Date .*, got \+033658-/u],
		[{tags: ['x', 7]}, 'passage 1: fields.tags[1]: expected a string, got 7'],
		[{name: '\udc00'}, 'passage 1: fields.name: expected well-formed Unicode, got a lone surrogate'],
		[new Map([['year', 1]]), 'passage 1: fields: expected an object of names and values, got a Map'],
		[['year'], 'passage 1: fields: expected an object of names and values, got an array'],
		[null, 'passage 1: fields: expected an object of names and values, got null'],
		[{'': 1}, 'passage "a": fields: expected field names of 1 to 255 bytes, got 0 bytes'],
		[{x: 'é'.repeat(16_001)}, 'passage "a": fields.x: expected strings of at most 32,000 bytes, got 32002 bytes'],
	];
	for (const [fields, message] of cases) {
		const bad = [
			{id: 'b', text: 'fox', fields: {year: 1}},
			{id: 'a', text: 'gone', fields: fields as PassageFields},
		];
		await t.throwsAsync(writer.update(bad), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT', message});
		// The first passage may already have been added.
		await writer.rollback();
	}
	await writer.commit();
	await writer.close();
	await index.reload();
	t.is(index.size, 4);
	t.deepEqual(await index.fields('a'), passages[0]!.fields!);
});
