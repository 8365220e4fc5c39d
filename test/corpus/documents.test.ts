// Tests `readDocuments` with files of every format.
import {execFile, execFileSync} from 'node:child_process';
import {appendFile, mkdir, mkdtemp, open, readdir, readlink, rm, stat, writeFile} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {promisify} from 'node:util';
import {gzipSync} from 'node:zlib';
import test, {type ExecutionContext} from 'ava';
import * as fc from 'fast-check';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {
	Bm25Index,
	type DocumentMapping,
	type Progress,
	type ReadDocumentsOptions,
	RetrievalError,
	type SourceDocument,
	readDocuments,
} from '../../ts/index.ts';

/** Makes a temporary folder that is removed after the test. */
async function temporaryFolder(t: ExecutionContext): Promise<string> {
	const path = await mkdtemp(join(tmpdir(), 'passagekit-documents-'));
	t.teardown(async () => rm(path, {recursive: true, force: true}));
	return path;
}

/** Writes a file to a new folder and returns its path. */
async function createFile(t: ExecutionContext, content: string | Uint8Array): Promise<string> {
	const path = join(await temporaryFolder(t), 'documents');
	await writeFile(path, content);
	return path;
}

async function toArray<T>(items: AsyncIterable<T>): Promise<T[]> {
	const list: T[] = [];
	for await (const item of items) {
		list.push(item);
	}
	return list;
}

/** Writes the content to a file and reads its documents. */
async function read(t: ExecutionContext, content: string | Uint8Array, options: ReadDocumentsOptions = {}): Promise<SourceDocument[]> {
	return toArray(readDocuments(await createFile(t, content), options));
}

/** Asserts that reading fails with `ERR_FORMAT`. Returns the message without the path of the file at its start. */
async function refused(t: ExecutionContext, content: string | Uint8Array, options: ReadDocumentsOptions = {}): Promise<string> {
	const path = await createFile(t, content);
	const error = await t.throwsAsync(toArray(readDocuments(path, options)), {instanceOf: RetrievalError});
	t.is(error.code, 'ERR_FORMAT', error.message);
	t.true(error.message.startsWith(`${path}:`), error.message);
	return error.message.slice(path.length + 1);
}

/** Reads with `skipBadLines` and returns the ids and the number of skipped records. */
async function skipping(
	t: ExecutionContext,
	content: string | Uint8Array,
	options: ReadDocumentsOptions = {},
): Promise<readonly [ids: string[], skipped: number]> {
	let skipped = -1;
	const onSkipped = (records: number): void => {
		skipped = records;
	};
	const documents = await read(t, content, {...options, skipBadLines: true, onSkipped});
	return [documents.map(({id}) => id), skipped];
}

/** Declares a test that is skipped on Windows. */
const onUnix = process.platform === 'win32' ? test.skip : test;

/** The documents of the first test. */
const lamps: readonly SourceDocument[] = [
	{id: '7', title: 'Desk lamp', text: 'A "bright" lamp,\nwith a battery.', fields: {price: '19.5', room: 'étude'}},
	{id: '8', text: 'No title; no room.', fields: {price: '5'}},
];

test('each format gives the same documents, plain and compressed, with LF and CRLF, with and without a byte order mark', async t => {
	const csv = [
		'id,title,text,price,room',
		'7,Desk lamp,"A ""bright"" lamp,\nwith a battery.",19.5,étude',
		'8,"",No title; no room.,5,',
		'',
	].join('\n');
	const objects = lamps.map(({fields, ...rest}) => ({...rest, ...fields, nothing: null}));
	const contents = {
		csv,
		// The commas between cells become tabs, and one more cell is quoted.
		tsv: csv.replaceAll(/,(?! |\nwith)/gu, '\t').replace('étude', '"étude"'),
		jsonl: objects.map(object => JSON.stringify(object)).join('\n'),
		json: JSON.stringify(objects, undefined, 2),
	};
	for (const [format, content] of Object.entries(contents) as Array<['csv', string]>) {
		// A line break in a cell is part of the cell, so only the others become CRLF.
		const crlf = content.replaceAll(/\n(?!with)/gu, '\r\n');
		for (const variant of [content, crlf, `\n\n${content}\n \n`, content.replace(/\n$/u, '')]) {
			for (const bytes of [Buffer.from(variant), Buffer.from(`\ufeff${variant}`)]) {
				t.deepEqual(await read(t, bytes), lamps, `${format} ${JSON.stringify(variant)}`);
				t.deepEqual(await read(t, bytes, {format}), lamps);
				t.deepEqual(await read(t, gzipSync(bytes)), lamps);
			}
		}
		t.deepEqual(await read(t, Buffer.from(`\ufeff${content}`, 'utf16le'), {encoding: 'utf-16le'}), lamps);
		t.deepEqual(await read(t, Buffer.from(content, 'latin1'), {encoding: 'windows-1252'}), lamps);
	}
	t.deepEqual(await read(t, Buffer.concat([Buffer.from('id,text\na,'), Buffer.of(0x80)]), {encoding: 'windows-1252'}), [
		{id: 'a', text: '€'},
	]);
});

test('a mapping chooses and renames columns, joins texts and converts values', async t => {
	const csv = [
		'isbn;head;abstract;body;year;sold;day;tags;note',
		'1;Foxes;A fox.;It eats.;1999;yes;2024-03-01;a| b;c;x',
		'2;Hens;;They lay.;-1.5e3;FALSE;2024-03-01T12:30:00+01:30;;',
		'',
	].join('\n');
	const mapping = {
		id: 'isbn',
		title: 'head',
		text: ['abstract', 'body'],
		fields: {year: 'number', isSold: {from: 'sold', type: 'boolean'}, day: 'date', labels: {from: 'tags', type: 'strings'}, note: {}},
	} as const satisfies DocumentMapping;
	const quotedTags = csv.replace('a| b;c', '"a| b;c"');
	t.deepEqual(await read(t, quotedTags, {mapping, delimiter: ';'}), [
		{
			id: '1',
			title: 'Foxes',
			text: 'A fox.\nIt eats.',
			fields: {year: 1999, isSold: true, day: '2024-03-01T00:00:00.000Z', labels: ['a', 'b', 'c'], note: 'x'},
		},
		{id: '2', title: 'Hens', text: 'They lay.', fields: {year: -1500, isSold: false, day: '2024-03-01T11:00:00.000Z'}},
	]);
	const withSeparator = {...mapping, fields: {labels: {from: 'tags', type: 'strings', separator: '| '}}} as const;
	t.deepEqual((await read(t, quotedTags, {mapping: withSeparator, delimiter: ';'}))[0]!.fields, {labels: ['a', 'b;c']});
	t.deepEqual((await read(t, 'id,title,text,a,b\n1,T,x,1,2\n', {mapping: {title: false, fields: ['b', 'title']}})).at(0), {
		id: '1',
		text: 'x',
		fields: {b: '2', title: 'T'},
	});
	t.deepEqual(await read(t, 'id,title,text,a\n1,T,x,1\n', {mapping: {fields: false, title: false}}), [{id: '1', text: 'x'}]);
	t.deepEqual(
		(await read(t, ',id,text,__proto__\n0,1,x,own\n'))[0]!.fields,
		JSON.parse('{"__proto__": "own"}'),
		'a column without a name is ignored',
	);
});

test('JSON values keep their types, and a path such as author.name selects a nested property', async t => {
	const object = {
		id: 5,
		text: 'x',
		year: 1999,
		isNew: false,
		tags: ['a', 'b'],
		empty: '',
		gone: null,
		author: {name: 'Ann', home: {city: 'Bonn'}},
		'a.b': 'dotted',
	};
	const line = JSON.stringify(object);
	const fields = ['year', 'isNew', 'tags', 'empty', 'gone', 'missing', 'author.name', 'author.home.city', 'a.b', 'year.x'];
	t.deepEqual(await read(t, line, {mapping: {fields}}), [
		{
			id: '5',
			text: 'x',
			fields: {year: 1999, isNew: false, tags: ['a', 'b'], empty: '', 'author.name': 'Ann', 'author.home.city': 'Bonn', 'a.b': 'dotted'},
		},
	]);
	const mapping = {
		id: 'author.home.city',
		text: 'author.name',
		fields: {year: 'string', tags: 'strings', isNew: 'boolean'},
	} as const;
	t.deepEqual(await read(t, line, {mapping}), [{id: 'Bonn', text: 'Ann', fields: {year: '1999', tags: ['a', 'b'], isNew: false}}]);
	t.is(
		await refused(t, line),
		'1: expected a string, a finite number, a boolean or an array of strings in the property "author", got an object; to leave it out, list the other fields in the mapping',
	);
	t.regex(await refused(t, line, {mapping: {fields: ['author.home']}}), /in the property "author\.home", got an object/u);
	t.regex(await refused(t, '{"id":"a","text":"x","n":[1]}'), /in the property "n", got an array/u);
	t.regex(await refused(t, '{"id":"a","text":"x","n":1e999}'), /in the property "n", got Infinity/u);
});

test('the fields of documents filter the searches of a BM25 index', async t => {
	const csv = 'id,text,year\na,a fox,1999\nb,a fox,2001\n';
	const documents = await read(t, csv, {mapping: {fields: {year: 'number'}}});
	const index = await Bm25Index.build(join(await temporaryFolder(t), 'bm25'), documents);
	t.teardown(() => index.close());
	const hits = await index.search('fox', {filter: {range: {field: 'year', gt: 2000}}});
	t.deepEqual(
		hits.map(({id}) => id),
		['b'],
	);
});

test('a value that does not fit its type is refused with the line, the column and what was expected', async t => {
	/** Returns the message for a cell with this text in a column of this type. */
	const messageFor = async (type: 'number', text: string): Promise<string> =>
		refused(t, `id,text,v\na,x,\nb,"x\ny",${text}\n`, {mapping: {fields: {v: type}}});
	t.is(await messageFor('number', 'n/a'), '3: expected a number in the column "v", got "n/a"');
	for (const [type, texts] of Object.entries({
		number: ['0x10', 'Infinity', '1 5', '1e999', '--1'],
		boolean: ['maybe', '2'],
		date: ['2024-02-30', '2024-13-01', '01.03.2024', 'March 2024', '2024-03-01T25:00', '2024-03-01T10:00+24:00', '2024'],
	})) {
		for (const text of texts) {
			const message = await messageFor(type as 'number', text);
			t.regex(message, /^3: expected .* in the column "v", got /u);
			t.true(message.endsWith(JSON.stringify(text)), message);
		}
	}
	const converted = async (type: 'date', text: string): Promise<unknown> =>
		(await read(t, `id,text,v\na,x,${text}\n`, {mapping: {fields: {v: type}}}))[0]!.fields?.['v'];
	t.is(await converted('date', '2024-02-29 10:00'), '2024-02-29T10:00:00.000Z', 'without an offset, the time is UTC');
	t.is(await converted('date', '2024-02'), '2024-02-01T00:00:00.000Z');
	t.is(await converted('date', '2024-01-01T00:00:00.123456Z'), '2024-01-01T00:00:00.123Z');
	t.is(await converted('date', '2023-12-31T24:00Z'), '2024-01-01T00:00:00.000Z');
	t.regex(
		await refused(t, `id,text,v\na,x,${'y'.repeat(32_001)}\n`),
		/^2: expected at most 32,000 bytes of text in a field in the column "v"/u,
	);
	t.regex(await refused(t, JSON.stringify({id: 'a', text: 'x', v: '\ud800'})), /^1: expected well-formed Unicode in the property "v"/u);
	const many = Object.fromEntries(Array.from({length: 257}, (_, i) => [`f${i}`, i]));
	t.regex(await refused(t, JSON.stringify({id: 'a', text: 'x', ...many})), /^1: expected at most 256 fields, got 257/u);
	t.regex(await refused(t, JSON.stringify({id: 'a', text: 'x', '': 1})), /^1: expected field names of 1 to 255 bytes/u);
});

test('an invalid row is refused with its line, or skipped and counted', async t => {
	const header = 'id,text,a\n';
	for (const [row, message] of [
		[',x,1', '3: expected an id in the column "id", got an empty cell'],
		['b,x', '3: expected 3 columns, as in the header, got 2'],
		['b,x,1,2', '3: expected 3 columns, as in the header, got 4'],
		['b,"x"y,1', '3: expected a delimiter or a line end after the closing quote of cell 2, got "y,1"'],
		['b,"x', '3: expected the closing quote of cell 2, got the end of the file'],
	] as const) {
		const content = `${header}a,x,1\n${row}\nc,z,2\n`;
		t.is(await refused(t, content), message);
		t.deepEqual(await skipping(t, content), [['a', 'c'], 1], row);
	}
	const notUtf8 = Buffer.concat([Buffer.from(`${header}a,x,1\nb,`), Buffer.of(0xff), Buffer.from(',1\nc,z,2\n')]);
	t.regex(await refused(t, notUtf8), /^3: expected text in UTF-8, got bytes that are not/u);
	t.deepEqual(await skipping(t, notUtf8), [['a', 'c'], 1]);
	t.deepEqual(await skipping(t, `${header}a,"one\ntwo",1\n,,\nc,z,2\n`), [['a', 'c'], 1]);
	t.deepEqual(await read(t, `${header}a,6" pipe "x",1\n`), [{id: 'a', text: '6" pipe "x"', fields: {a: '1'}}], 'quotes inside a cell');
});

test('an invalid object is refused with its line, or skipped and counted', async t => {
	for (const [object, message] of [
		['{"text": "x"}', /expected an id in the property "id", got none$/u],
		['{"id": "", "text": "x"}', /expected an id in the property "id", got an empty string$/u],
		['{"id": 12345678901234567890, "text": "x"}', /expected an id .*, a string or a whole number up to 2⁵³ − 1, got 1\d+$/u],
		['{"id": true, "text": "x"}', /expected an id .*, got true$/u],
		['{"id": "\\ud800", "text": "x"}', /expected an id in well-formed Unicode/u],
		['{"id": "b"}', /expected a text in the property "text", got none$/u],
		['{"id": "b", "text": 5}', /expected a string in the property "text", got 5$/u],
		['{"id": "b", "title": {}, "text": "x"}', /expected a string in the property "title", got an object$/u],
		['{"id": "b" "text": "x"}', /expected .*, got invalid JSON: /u],
		['[1, 2]', /expected .*JSON object.*, got an array$/u],
		['"text"', /expected .*JSON object.*, got "text"$/u],
		['null', /expected .*JSON object.*, got null$/u],
	] as const) {
		const objects = ['{"id": "a", "text": "x"}', object, '{"id": "c", "text": "]},{\\"\\\\"}'];
		for (const content of [objects.join('\n'), `[${objects.join(',\n')}]`]) {
			const got = await refused(t, content);
			t.true(got.startsWith('2: '), got);
			t.regex(got, message);
			t.deepEqual(await skipping(t, content), [['a', 'c'], 1], object);
		}
	}
	t.regex(await refused(t, '{"id": "a",\n"text": "x"}'), /^1: expected a JSON object on each line, got invalid JSON/u);
});

test('an error that concerns the whole file is not skipped', async t => {
	const valid = '{"id": "a", "text": "x"}';
	for (const [content, message] of [
		['', ' expected JSON, or a table with a header line, got an empty file'],
		['\n \n', ' expected JSON, or a table with a header line, got an empty file'],
		[
			'PK\u0003\u0004\0\0',
			' expected JSON, or a table with a header line, got binary data that begins with "PK\\u0003\\u0004\\u0000\\u0000"',
		],
		['id,text,id\n', '1: expected columns with distinct names, got "id" twice'],
		[
			'\nid,body\na,x\n',
			'2: expected the column "text" in the header, got "id", "body"; name other columns in the mapping, or set the delimiter',
		],
		['id,"text\na,x\n', '1: expected the closing quote of cell 2, got the end of the file'],
		[`[${valid} ${valid}]`, /^1: expected .*JSON/u],
		[`[${valid},\n]`, '2: expected an element of the array, got "]"'],
		[`[${valid}]\nx`, '2: expected the end of the file after the array, got "x"'],
		[`[${valid},\n{"id": "b"`, '2: expected a complete JSON array, got the end of the file'],
		[`[${valid}`, '1: expected a complete JSON array, got the end of the file'],
		['[', '1: expected an element of the array, got the end of the file'],
		[Buffer.from('\ufeffid,text', 'utf16le'), ` expected text in UTF-8, got text in UTF-16; set the encoding to 'utf-16le'`],
	] as const) {
		// Without the comma, two objects are read as one invalid element, which `skipBadLines` skips.
		for (const skipBadLines of content.toString().includes('} {') ? [false] : [false, true]) {
			const got = await refused(t, content as string, {skipBadLines});
			if (typeof message === 'string') {
				t.is(got, message);
			} else {
				t.regex(got, message);
			}
		}
	}
	t.regex(await refused(t, 'id,text\n', {mapping: {fields: {y: 'number'}}}), /^1: expected the column "y" in the header/u);
	t.regex(await refused(t, 'id,text\n', {mapping: {title: 'head'}}), /^1: expected the column "head" in the header/u);
	t.regex(await refused(t, '{}', {format: 'json'}), /^1: expected a JSON array of objects, got "\{\}"$/u);
	t.deepEqual(await read(t, '[]'), []);
	t.deepEqual(await read(t, '', {format: 'jsonl'}), []);
	t.deepEqual(await read(t, 'id,text'), []);
});

test('gzip data that is corrupt, or cut off anywhere, is refused, also with skipBadLines', async t => {
	const compressed = gzipSync('id,text\n'.concat(...Array.from({length: 50}, (_, i) => `${i},text ${i}\n`)));
	for (let cut = 2; cut < compressed.length; cut += 7) {
		const path = await createFile(t, compressed.subarray(0, cut));
		const error = await t.throwsAsync(toArray(readDocuments(path, {skipBadLines: true})), {instanceOf: RetrievalError, code: 'ERR_FORMAT'});
		t.true(error.message.startsWith(`${path}: expected complete gzip data, got `), error.message);
	}
	const corrupt = Buffer.from(compressed);
	corrupt[corrupt.length - 6]! ^= 1;
	t.regex(await refused(t, corrupt), /^ expected complete gzip data/u);
	const members = Buffer.concat([gzipSync('id,text\na,x\n'), gzipSync('b,y\n')]);
	t.deepEqual(
		(await read(t, members)).map(({id}) => id),
		['a', 'b'],
		'all gzip members are read',
	);
});

test('a record that is too long is refused with its line, or skipped', async t => {
	const long = 'y'.repeat(300_000);
	for (const content of [
		`id,text\na,x\nb,${long}\nc,z\n`,
		`id,text\na,x\nb,"${long}"\nc,z\n`,
		`{"id":"a","text":"x"}\n{"id":"b","text":"${long}"}\n{"id":"c","text":"z"}`,
		`[{"id":"a","text":"x"},\n{"id":"b","text":"${long}"},\n{"id":"c","text":"z"}]`,
	]) {
		const limit = {maxDocumentBytes: 100_000};
		// The record is on line 3 of a table, because of the header, and on line 2 of JSON.
		t.is(
			(await refused(t, content, limit)).replace('3:', '2:'),
			'2: expected a document of at most 100000 bytes, got a longer one; raise maxDocumentBytes if it is valid',
		);
		t.deepEqual(await skipping(t, content, limit), [['a', 'c'], 1]);
		t.deepEqual(
			(await read(t, content)).map(({text}) => text.length),
			[1, 300_000, 1],
		);
	}
});

test('any table that is written by the rules of RFC 4180 is read back', async t => {
	const path = await createFile(t, '');
	const cell = fc.string({unit: fc.constantFrom('"', ',', '\n', '\r', '\t', ' ', 'a', 'é', '𝄞'), maxLength: 8});
	const rows = fc.array(fc.tuple(cell, cell, fc.boolean()), {minLength: 1, maxLength: 20});
	await fc.assert(
		fc.asyncProperty(
			rows,
			fc.constantFrom('\n', '\r\n'),
			fc.constantFrom(',', '\t'),
			fc.boolean(),
			async (table, lineEnd, delimiter, endsWithLineEnd) => {
				const written = (text: string, isQuoted: boolean): string =>
					isQuoted || /["\n\r,\t]/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
				const lines = table.map(([text, note, isQuoted], i) =>
					[String(i), written(text, isQuoted), written(note, isQuoted)].join(delimiter),
				);
				await writeFile(path, ['id,text,note'.replaceAll(',', delimiter), ...lines].join(lineEnd) + (endsWithLineEnd ? lineEnd : ''));
				t.deepEqual(
					await toArray(readDocuments(path, {delimiter})),
					table.map(([text, note], i) => ({id: String(i), text, ...(note === '' ? {} : {fields: {note}})})),
				);
			},
		),
		{numRuns: 300},
	);
});

test('records that cross the chunks in which a file is read are complete', async t => {
	const texts = Array.from({length: 400}, (_, i) => `${'é"\n,'.repeat(i * 5)}${i}`);
	const objects = texts.map((text, i) => ({id: String(i), text}));
	const csv = `id,text\n${texts.map((text, i) => `${i},"${text.replaceAll('"', '""')}"`).join('\n')}`;
	for (const content of [csv, objects.map(object => JSON.stringify(object)).join('\n'), JSON.stringify(objects, undefined, 1)]) {
		t.deepEqual(await read(t, content), objects);
		t.deepEqual(await read(t, gzipSync(content)), objects);
		t.deepEqual(await read(t, Buffer.from(content, 'utf16le'), {encoding: 'utf-16le'}), objects);
	}
});

/** Returns the paths of the files that this process has open. Files that are closed while they are listed are left out. */
async function openFiles(): Promise<string[]> {
	const folder = '/proc/self/fd';
	const paths = await Promise.all((await readdir(folder)).map(name => readlink(join(folder, name)).catch(() => '')));
	return paths.filter(path => path !== '');
}

/** Writes about 50 MB of documents with 1000 characters each. Returns the number of documents. */
async function writeLargeFile(path: string, format: string): Promise<number> {
	const count = 48_000;
	const text = 'word '.repeat(200);
	const file = await open(path, 'w');
	for (let at = 0; at < count; at += 1000) {
		const rows = Array.from({length: 1000}, (_, i) =>
			format === 'csv'
				? `${at + i},"${text}",${i}\n`
				: `${format === 'json' && at + i > 0 ? ',' : ''}{"id":"${at + i}","text":"${text}","n":${i}}\n`,
		);
		const [start, end] = [format === 'csv' ? 'id,text,n\n' : format === 'json' ? '[' : '', format === 'json' ? ']' : ''];
		await file.write((at === 0 ? start : '') + rows.join('') + (at + 1000 === count ? end : ''));
	}
	await file.close();
	return count;
}

test('reading 50 MB increases the peak memory by less than 30 MiB', async t => {
	const folder = await temporaryFolder(t);
	for (const format of ['csv', 'json', 'jsonl']) {
		const path = join(folder, format);
		const count = await writeLargeFile(path, format);
		const program = `
			import {readDocuments} from ${JSON.stringify(join(packageRoot, 'ts/corpus/documents/read-documents.ts'))};
			const before = process.resourceUsage().maxRSS;
			let count = 0;
			for await (const {fields} of readDocuments(process.argv[1])) {
				count += fields === undefined ? 0 : 1;
			}
			console.log(count, Math.round((process.resourceUsage().maxRSS - before) / 1024));
		`;
		const flags = ['--max-semi-space-size=2', '--max-old-space-size=64', '--import', import.meta.resolve('tsx'), '--input-type=module'];
		const {stdout} = await promisify(execFile)(process.execPath, [...flags, '--eval', program, path]);
		const [documents, grownMib] = stdout.trim().split(' ').map(Number);
		t.is(documents, count);
		t.true(grownMib! < 30, `${format}: the peak memory grew by ${grownMib} MiB`);
	}
});

test('a file is read little further than the caller needs, and progress counts the bytes of the file', async t => {
	const path = join(await temporaryFolder(t), 'large.csv');
	const row = `${'x'.repeat(1000)}\n`;
	await writeFile(path, `id,text\n${Array.from({length: 5000}, (_, i) => `${i},${row}`).join('')}`);
	const {size} = await stat(path);
	const reports: Progress[] = [];
	let count = 0;
	for await (const _ of readDocuments(path, {onProgress: progress => void reports.push(progress)})) {
		count++;
		if (count === 10) {
			// This is long enough for a report, and without back-pressure it would be long enough to read the whole file.
			await new Promise(resolve => {
				setTimeout(resolve, 150);
			});
		}
	}
	t.is(count, 5000);
	t.true(reports.length >= 2);
	t.true(reports[0]!.done < 512 << 10, `${reports[0]!.done} bytes were read for 10 rows`);
	t.deepEqual(reports.at(-1), {done: size, total: size});
});

test('an error of onProgress or onSkipped ends the iteration with that error', async t => {
	const path = await createFile(t, 'id,text\na,x\nb,y\n');
	const failure = new Error('mine');
	const onProgress = (): void => {
		throw failure;
	};
	t.is(await t.throwsAsync(toArray(readDocuments(path, {onProgress}))), failure);
	t.is(await t.throwsAsync(toArray(readDocuments(path, {onProgress: (async () => onProgress()) as never}))), failure);
	t.is(await t.throwsAsync(toArray(readDocuments(path, {onSkipped: onProgress}))), failure);
});

test('an abort during the iteration ends it with the reason of the signal', async t => {
	const path = await createFile(t, `id,text\n${'a,x\n'.repeat(100_000)}`);
	for (const source of [path, await createFile(t, gzipSync(`id,text\n${'a,x\n'.repeat(100_000)}`))]) {
		const controller = new AbortController();
		const reason = new Error('enough');
		let count = 0;
		const iterate = async (): Promise<void> => {
			for await (const _ of readDocuments(source, {signal: controller.signal})) {
				count++;
				if (count === 3) {
					controller.abort(reason);
				}
			}
		};
		t.is(await t.throwsAsync(iterate()), reason);
		t.is(count, 3);
		t.is(await t.throwsAsync(toArray(readDocuments(source, {signal: controller.signal}))), reason);
	}
});

test('the file is closed if the caller ends the iteration early', async t => {
	const content = `id,text\n${'a,x\n'.repeat(200_000)}`;
	for (const bytes of [Buffer.from(content), gzipSync(content)]) {
		const path = await createFile(t, bytes);
		for await (const {id} of readDocuments(path)) {
			t.is(id, 'a');
			break;
		}
		if (process.platform === 'linux') {
			t.false((await openFiles()).includes(path));
			const handle = await open(path);
			t.true((await openFiles()).includes(path));
			await handle.close();
		}
	}
});

onUnix('documents are read from a FIFO as they arrive, and an abort ends the wait', async t => {
	const path = join(await temporaryFolder(t), 'fifo');
	execFileSync('mkfifo', [path]);
	for (const content of ['{"id":"a","text":"x"}\n', gzipSync('{"id":"a","text":"x"}\n')]) {
		const result = toArray(readDocuments(path));
		await appendFile(path, content);
		t.deepEqual(await result, [{id: 'a', text: 'x'}]);
	}
	for (const hasWriter of [false, true]) {
		// This writer writes nothing.
		const writer = hasWriter ? await open(path, 'r+') : undefined;
		const controller = new AbortController();
		const reason = new Error('enough');
		setTimeout(() => controller.abort(reason), 100);
		t.is(await t.throwsAsync(toArray(readDocuments(path, {signal: controller.signal}))), reason);
		await writer?.close();
	}
	const writer = await open(path, 'r+');
	const documents = readDocuments(path);
	const first = documents.next();
	await writer.write('id,text\na,x\n');
	t.deepEqual((await first).value, {id: 'a', text: 'x'}, 'the first document arrives while the writer is open');
	await documents.return();
	await writer.close();
});

test('a folder of text files gives one document per file, which is not split and has the path of the file as its id', async t => {
	const path = await temporaryFolder(t);
	await mkdir(join(path, 'b'));
	const long = 'word '.repeat(5000).trim();
	await writeFile(join(path, 'b', 'long#0.md'), `# A long one\n\n${long}\n\nSecond  paragraph.\n`);
	await writeFile(join(path, 'a.txt'), 'Plain text.\n');
	await writeFile(join(path, 'c.md.gz'), gzipSync('# Packed\nSmall.'));
	await writeFile(join(path, 'empty.txt'), '');
	await writeFile(join(path, 'ignored.html'), '<p>no</p>');
	t.deepEqual(await toArray(readDocuments(path)), [
		{id: 'a.txt', title: 'a', text: 'Plain text.'},
		{id: 'b/long#0.md', title: 'A long one', text: `${long}\n\nSecond  paragraph.`},
		{id: 'c.md.gz', title: 'Packed', text: 'Small.'},
	]);
	t.deepEqual(await toArray(readDocuments(join(path, 'a.txt'), {format: 'text'})), [{id: 'a.txt', title: 'a', text: 'Plain text.'}]);

	const reports: Progress[] = [];
	await toArray(readDocuments(path, {onProgress: progress => reports.push(progress)}));
	t.true(reports.length > 0);
	await writeFile(join(path, 'invalid.txt'), Uint8Array.of(0x66, 0xff, 0xfe, 0x00, 0x80));
	await t.throwsAsync(toArray(readDocuments(path)), {instanceOf: RetrievalError, code: 'ERR_FORMAT', message: /invalid\.txt/u});
	let skipped = 0;
	const rest = await toArray(readDocuments(path, {skipBadLines: true, onSkipped: files => (skipped = files)}));
	t.deepEqual([rest.length, skipped], [3, 1]);
	await t.throwsAsync(toArray(readDocuments(path, {maxDocumentBytes: 1000, format: 'text'})), {code: 'ERR_FORMAT', message: /long/u});
	for (const options of [{mapping: {}}, {delimiter: ';'}, {encoding: 'utf-8'}, {format: 'text', delimiter: ';'}] as const) {
		await t.throwsAsync(toArray(readDocuments(path, options)), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT'});
	}
	await t.throwsAsync(toArray(readDocuments(join(path, 'none'), {format: 'text'})), {code: 'ERR_IO'});
	await t.throwsAsync(toArray(readDocuments(path, {signal: AbortSignal.abort()})), {name: 'AbortError', any: true});
});

test('all files of a folder are read, even if the addon needs several calls to return them', async t => {
	const path = await temporaryFolder(t);
	await Promise.all(Array.from({length: 48}, async (_, i) => writeFile(join(path, `${i}.txt`), `text ${i}`)));
	const ids = (await toArray(readDocuments(path))).map(({id}) => id);
	t.deepEqual(ids.toSorted(), Array.from({length: 48}, (_, i) => `${i}.txt`).sort());
});

test('a missing file, and a folder with a format other than text, are refused', async t => {
	const path = await temporaryFolder(t);
	await t.throwsAsync(toArray(readDocuments(join(path, 'none'))), {instanceOf: RetrievalError, code: 'ERR_IO', message: /^open .*none: /});
	await t.throwsAsync(toArray(readDocuments(path, {format: 'csv'})), {code: 'ERR_IO', message: /expected a file, got a folder/});
	await t.throwsAsync(toArray(readDocuments('a\0b')), {code: 'ERR_ARGUMENT'});
});

test('invalid options are refused', async t => {
	const path = await createFile(t, 'id,text\n');
	for (const [options, message] of [
		[{format: 'xml'}, /^format: expected one of auto, jsonl, json, csv, tsv, text, got "xml"$/u],
		[{delimiter: ',,'}, /^delimiter: expected one ASCII character/u],
		[{delimiter: '"'}, /^delimiter: expected one ASCII character/u],
		[{delimiter: 'é'}, /^delimiter: expected one ASCII character/u],
		[{delimiter: ',', format: 'json'}, /^delimiter: expected only with the formats csv and tsv/u],
		[{encoding: 'utf8'}, /^encoding: expected one of utf-8, utf-16le, windows-1252/u],
		[{skipBadLines: 1}, /^skipBadLines: /u],
		[{maxDocumentBytes: 0}, /^maxDocumentBytes: /u],
		[{mapping: []}, /^mapping: expected options/u],
		[{mapping: {ids: 'a'}}, /^mapping: .*did you mean id\?$/u],
		[{mapping: {id: ''}}, /^mapping: id: expected one or more characters/u],
		[{mapping: {text: []}}, /^mapping: text: expected one or more names, got an empty array$/u],
		[{mapping: {text: ['a', 5]}}, /^mapping: text\[1\]: expected a string, got number$/u],
		[{mapping: {title: true}}, /^mapping: title: expected a string/u],
		[{mapping: {fields: 'year'}}, /^mapping: fields: expected a boolean, an array or an object/u],
		[{mapping: {fields: ['a', 'a']}}, /^mapping: fields\[1\]: expected distinct names/u],
		[{mapping: {fields: {a: 'int'}}}, /^mapping: fields\.a: expected one of string, number, boolean, date, strings, got "int"$/u],
		[{mapping: {fields: {a: {form: 'b'}}}}, /^mapping: fields\.a: expected options among from, type, separator, got "form"$/u],
		[{mapping: {fields: {a: {type: 'number', separator: ','}}}}, /^mapping: fields\.a: separator: expected only with the type strings/u],
	] as const) {
		const error = await t.throwsAsync(toArray(readDocuments(path, options as never)), {instanceOf: RetrievalError, code: 'ERR_ARGUMENT'});
		t.regex(error.message, message);
	}
});
