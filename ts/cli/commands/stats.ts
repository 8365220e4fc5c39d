/** The command `passagekit stats`, which prints the counts, settings and size on disk of a collection. */
import {join} from 'node:path';
import type {Command} from 'commander';
import {Collection, type SplitSetting} from '../../collection/index.ts';
import {parts} from '../../collection/manifest.ts';
import {Bm25Index} from '../../sparse/index.ts';
import {bytesOf, isLive} from '../collections.ts';
import {defaultIndex} from '../options.ts';
import {print, printJson} from '../output.ts';
import {bytes} from '../progress.ts';

interface StatsFlags {
	readonly collection: string;
	readonly json?: boolean;
}

export function registerStats(program: Command): void {
	program
		.command('stats')
		.description('print the counts, settings and size on disk of a collection')
		.option('-c, --collection <folder>', 'collection made by `passagekit add` or `passagekit index`', defaultIndex)
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit stats --collection shop')
		.action(async ({collection: folder, json}: StatsFlags) => {
			await using collection = await Collection.open(folder);
			const sizes = {bytes: await bytesOf(folder)};
			if (!(await isLive(folder))) {
				const {passages, analyzer, encoder, indexes} = collection.manifest;
				if (json) {
					printJson({collection: folder, madeBy: 'index', passages, analyzer, encoder, indexes, ...sizes});
				} else {
					print(
						lines([
							['collection', `${folder}, built by \`passagekit index\`; never changes`],
							['passages', passages.toLocaleString('en')],
							['analyzer', analyzer],
							['encoder', encoder === null ? 'none' : `${encoder.model}, ${encoder.dim} dimensions`],
							['vector indexes', indexes.length === 0 ? 'none' : indexes.join(', ')],
							['size', bytes(sizes.bytes)],
						]),
					);
				}
				return;
			}
			const {hasChanges: _, ...stats} = await collection.stats();
			await using bm25 = await Bm25Index.open(join(folder, parts.bm25));
			const {analyzer} = bm25;
			if (json) {
				printJson({collection: folder, madeBy: 'add', ...stats, analyzer, ...sizes});
				return;
			}
			const {documents, passages, generation, segments, dim, pendingVectors, split, encoder, questionEncoder} = stats;
			const model = encoder === undefined ? undefined : (encoder.model ?? encoder.identity ?? 'an object in a program');
			const pending = pendingVectors === 0 ? '' : `; vectors not in the graph yet: ${pendingVectors.toLocaleString('en')}`;
			print(
				lines([
					['collection', `${folder} (documents can be changed)`],
					['documents', documents.toLocaleString('en')],
					['passages', `${passages.toLocaleString('en')}, ${shownSplit(split)}`],
					['analyzer', analyzer.type],
					['encoder', model ?? 'none'],
					...(questionEncoder === undefined
						? []
						: [['question encoder', questionEncoder.model ?? questionEncoder.identity ?? ''] as const]),
					['vectors', dim === undefined ? 'none' : `${dim} dimensions${pending}`],
					['segments', String(segments)],
					['commits', generation.toLocaleString('en')],
					['size', bytes(sizes.bytes)],
				]),
			);
		});
}

function shownSplit(split: SplitSetting): string {
	if (split === false) {
		return 'one per document';
	}
	return `of up to ${split.words} words${split.overlap > 0 ? `, ${split.overlap} of them shared with the previous one` : ''}`;
}

/** Formats names and values as two columns. */
function lines(rows: ReadonlyArray<readonly [name: string, value: string]>): string {
	const width = Math.max(...rows.map(([name]) => name.length));
	return rows.map(([name, value]) => `${name.padEnd(width)}  ${value}`).join('\n');
}
