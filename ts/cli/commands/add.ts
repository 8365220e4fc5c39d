/** The command `passagekit add`, which adds documents to an updatable collection, and makes the collection if there is none. */
import {type Command, InvalidArgumentError, Option} from 'commander';
import {Collection, type CollectionStats} from '../../collection/index.ts';
import {versionOf} from '../../collection/manifest.ts';
import {RetrievalError} from '../../core/errors.ts';
import type {DocumentEncoding, DocumentFormat} from '../../corpus/index.ts';
import {documentEncodings} from '../../corpus/documents/byte-input.ts';
import {documentFormats} from '../../corpus/documents/read-documents.ts';
import type {Analyzer} from '../../sparse/analyzer.ts';
import {type AddCounts, type CommitInterval, DocumentAdder} from '../add/add-documents.ts';
import {fieldList} from '../add/field-list.ts';
import {inputsOf} from '../add/inputs.ts';
import {InputReader} from '../add/read-inputs.ts';
import {checkSettings} from '../add/settings.ts';
import {checkNotBuilt} from '../collections.ts';
import {analyzer, count, defaultIndex, names} from '../options.ts';
import {amountOf, note, print, printJson} from '../output.ts';
import {ProgressBar, duration} from '../progress.ts';

interface AddFlags {
	readonly collection: string;
	readonly format: DocumentFormat;
	readonly id?: string;
	readonly text?: string[];
	readonly title?: string | false;
	readonly fields?: ReturnType<typeof fieldList> | false;
	readonly delimiter?: string;
	readonly encoding: DocumentEncoding;
	readonly skipBadLines?: boolean;
	readonly newOnly?: boolean;
	readonly encoder?: string | false;
	readonly words?: number;
	readonly overlap?: number;
	readonly split: boolean;
	readonly analyzer?: Analyzer;
	readonly commitEvery: CommitInterval;
	readonly quiet?: boolean;
	readonly json?: boolean;
}

export function registerAdd(program: Command, signal: AbortSignal): void {
	program
		.command('add')
		.description('add documents to an updatable collection, or replace those with the same ids; the first call makes the collection')
		.argument('<files...>', 'JSON lines, JSON, CSV, TSV, text, Markdown, or folders of text and Markdown; .gz too; - for standard input')
		.option('-c, --collection <folder>', 'folder of the collection', defaultIndex)
		.option('--id <name>', 'column or property with the id (default: id)')
		.option('--text <names>', 'column or property with the text, or several, whose texts are joined (default: text)', names)
		.option('--title <name>', 'column or property with the title (default: title, if there is one)')
		.option('--no-title', 'documents have no titles')
		.option(
			'--fields <list>',
			'fields to keep, with types and other names: category,price:number,writer=author.name; types: string, number, boolean, date, strings (default: all that are not id, text or title; in CSV and TSV, as strings)',
			fieldList,
		)
		.option('--no-fields', 'keep no fields')
		.addOption(new Option('--format <format>', 'format of the files').choices(documentFormats).default('auto'))
		.option('--delimiter <character>', 'character between the cells of a table')
		.addOption(new Option('--encoding <name>', 'encoding of JSON, CSV and TSV files').choices(documentEncodings).default('utf-8'))
		.option('--skip-bad-lines', 'skip invalid records')
		.option('--new-only', 'add only documents with new ids, and leave the others as they are')
		.option(
			'--encoder <model>',
			'encoder of a new collection: a folder with model.onnx, or owner/name on the Hugging Face hub (default: minilm-encoder)',
		)
		.option('--no-encoder', 'make a collection without vectors, which is searched by words; no model is needed')
		.option('--words <n>', 'number of words per passage of a new collection (default: 100)', count(1))
		.option('--overlap <n>', 'number of words that a passage of a new collection shares with the previous one (default: 0)', count(0))
		.option('--no-split', 'keep each document of a new collection as one passage')
		.option(
			'--analyzer <name>',
			'how texts of a new collection are turned into terms: english, simple, whitespace, snowball:<language>, wordpiece:<tokenizer.json> (default: english)',
			analyzer,
		)
		.addOption(
			new Option('--commit-every <interval>', 'commit after this time, as in 30s, or after this number of documents')
				.argParser(commitInterval)
				.default({milliseconds: 10_000}, '10s'),
		)
		.option('--quiet', 'print no progress and no summary')
		.option('--json', 'print one JSON object')
		.addHelpText(
			'after',
			`
If the command fails or is interrupted, the collection keeps the committed documents. Run it again to continue: documents that did not
change are skipped.

Example:
  $ passagekit add products.csv --id sku --text description --title name --fields category,price:number --collection shop`,
		)
		.action(async (files: string[], flags: AddFlags) => add(files, flags, signal));
}

async function add(files: readonly string[], flags: AddFlags, signal: AbortSignal): Promise<void> {
	const startedAt = performance.now();
	const {collection: folder, format} = flags;
	await checkNotBuilt('add', folder);
	const inputs = await inputsOf(files, format);
	const reader = new InputReader(inputs, {
		mapping: {id: flags.id, text: flags.text, title: flags.title, fields: flags.fields},
		format: format === 'text' ? 'auto' : format,
		delimiter: flags.delimiter,
		encoding: flags.encoding,
		skipBadLines: flags.skipBadLines ?? false,
		signal,
	});
	// The first document is read before the collection is made, so that no collection is made if a file or a flag is wrong.
	const documents = reader.documents();
	const first = await documents.next();
	if (first.done) {
		throw new RetrievalError('ERR_FORMAT', `${files.join(', ')}: expected at least one document, got none`);
	}
	const collection = await openOrCreate(folder, flags);
	// Progress counts documents if all files are text files, because each of them is a document, or if the size of a file is unknown.
	// Otherwise it counts bytes, because the number of documents is not known in advance.
	const isText = inputs.every(({id}) => id !== undefined);
	const bar = flags.quiet ? undefined : new ProgressBar('add', isText || reader.bytesTotal === 0 ? 'documents' : 'bytes');
	const adder = new DocumentAdder(collection, (await collection.stats()).split, {
		newOnly: flags.newOnly ?? false,
		commitEvery: flags.commitEvery,
		signal,
		onProgress(count) {
			if (isText || reader.bytesTotal === 0) {
				bar?.update({done: count, total: isText ? inputs.length : 0});
			} else {
				bar?.update({done: reader.bytesRead, total: reader.bytesTotal}, `${count.toLocaleString('en')} documents`);
			}
		},
	});
	try {
		await adder.add(chained(first.value, documents)).finally(() => bar?.end());
		const stats = await collection.stats();
		report(flags, adder.counts, stats, reader.skipped, performance.now() - startedAt);
	} catch (error) {
		await keepAdded(adder, flags);
		throw error;
	} finally {
		await collection.close({discard: true});
	}
}

/** Opens the collection in a folder, or makes one there with the settings that the flags give. */
async function openOrCreate(folder: string, {encoder, analyzer: given, words, overlap, split}: AddFlags): Promise<Collection> {
	const isNew = (await versionOf(folder)) === undefined;
	if (isNew) {
		const parts = split ? {words: words ?? 100, overlap: overlap ?? 0} : (false as const);
		return Collection.open(folder, {create: true, encoder, analyzer: given, split: parts});
	}
	// `checkSettings` refuses `--no-encoder` with the name of the flag.
	const collection = await Collection.open(folder, {encoder: encoder === false ? undefined : encoder});
	try {
		await checkSettings(folder, await collection.stats(), {encoder, analyzer: given, words, overlap, split});
		// Deleting nothing takes the writer lock. If another process is changing the collection, this fails before documents are encoded.
		await collection.delete([]);
		return collection;
	} catch (error) {
		await collection.close({discard: true});
		throw error;
	}
}

/** Commits the documents that were added before an error, so that the next run of the command need not encode them again. */
async function keepAdded(adder: DocumentAdder, {quiet, json}: AddFlags): Promise<void> {
	try {
		await adder.commit();
	} catch {
		// The previous commit stays, and the caller reports the error that came first.
		return;
	}
	const {added, replaced, unchanged} = adder.counts;
	const done = added + replaced + unchanged;
	if (done > 0 && !quiet && !json) {
		note(`the collection has ${amountOf(done, 'document')} of the files; run the same command again to continue`);
	}
}

function report(flags: AddFlags, counts: AddCounts, {documents, passages}: CollectionStats, skipped: number, milliseconds: number): void {
	const {added, replaced, unchanged} = counts;
	if (flags.json) {
		printJson({collection: flags.collection, ...counts, skipped, documents, passages, milliseconds: Math.round(milliseconds)});
		return;
	}
	if (flags.quiet) {
		return;
	}
	const others = [
		...(replaced > 0 ? [`${replaced.toLocaleString('en')} replaced`] : []),
		...(unchanged > 0 ? [`${unchanged.toLocaleString('en')} ${flags.newOnly ? 'left as they were' : 'unchanged'}`] : []),
		...(skipped > 0 ? [`${skipped.toLocaleString('en')} invalid ones skipped`] : []),
	];
	const done = [`${amountOf(added, 'document')} added`, ...others].join(', ');
	print(`${done} in ${duration(milliseconds / 1000)}; ${flags.collection} has ${amountOf(documents, 'document')}`);
}

/** Parses the interval between commits: seconds, such as `30s`, or a number of documents, such as `5000`. */
function commitInterval(text: string): CommitInterval {
	const [, number, seconds] = /^(\d+)(s?)$/u.exec(text) ?? [];
	if (number === undefined || Number(number) < 1) {
		throw new InvalidArgumentError(`expected seconds such as 30s, or a number of documents such as 5000, got "${text}"`);
	}
	return seconds === '' ? {documents: Number(number)} : {milliseconds: Number(number) * 1000};
}

/** Yields `first`, then everything that `rest` yields. */
async function* chained<T>(first: T, rest: AsyncGenerator<T, void, undefined>): AsyncGenerator<T, void, undefined> {
	try {
		yield first;
		yield* rest;
	} finally {
		await rest.return();
	}
}
