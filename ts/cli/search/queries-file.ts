/** Retrieves passages for a file of queries and writes a TREC run, for `passagekit search --queries`. */
import type {FilteredSearchManyOptions, Query, Run} from '../../core/types.ts';
import {readQuestions} from '../../corpus/readers.ts';
import {checkColumn, writeTrecRun} from '../../corpus/trec-files.ts';
import {UsageError} from '../errors.ts';
import {ALL_CORES} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {ProgressBar, duration} from '../progress.ts';
import {type SearchFlags, fusionOf} from './flags.ts';
import {openSearched} from './open-searched.ts';

/** Searches for all queries of a file and writes the run to the file `--output`, or to standard output if that is missing or `-`. */
export async function searchFile(file: string, flags: SearchFlags, signal: AbortSignal): Promise<void> {
	const {retriever = 'bm25', k = 1000, depth = 1000, queryFormat = 'auto', threads = ALL_CORES, filter} = flags;
	const writesFile = flags.output !== undefined && flags.output !== '-';
	if (flags.json && !writesFile) {
		throw new UsageError('search: --json needs --output FILE, because otherwise the run is written to standard output');
	}
	const queries: Query[] = [];
	for await (const {id, text} of readQuestions(file, {format: queryFormat, signal})) {
		checkColumn('query id', id);
		queries.push({id, text});
	}
	const tag = flags.tag ?? `passagekit-${retriever}`;
	checkColumn('tag', tag);
	await using collection = await openSearched(flags, signal);
	const searcher = await collection.searcher(retriever, {vectorIndex: flags.vectorIndex, depth, fusion: fusionOf(flags)});
	const bar = new ProgressBar('search', 'queries');
	const startedAt = performance.now();
	const options: FilteredSearchManyOptions = {
		k,
		signal,
		threads,
		onProgress: progress => bar.update(progress),
		filter,
	};
	const run = await searcher.searchMany(queries, options).finally(() => bar.end());
	const milliseconds = performance.now() - startedAt;
	if (writesFile) {
		await writeTrecRun(flags.output!, run, tag, {signal});
	} else {
		printRun(run, tag);
	}
	const summary = {retriever, queries: run.size, k, milliseconds: Math.round(milliseconds), output: flags.output ?? '-'};
	if (flags.json) {
		printJson(summary);
	} else {
		note(`${run.size.toLocaleString('en')} queries in ${duration(milliseconds / 1000)}${writesFile ? `, written to ${flags.output}` : ''}`);
	}
}

function printRun(run: Run, tag: string): void {
	for (const [query, hits] of run) {
		hits.forEach(({id}) => checkColumn('passage id', id));
		print(hits.map(({id, score}, i) => `${query} Q0 ${id} ${i + 1} ${shortest(score)} ${tag}\n`).join(''));
	}
}

/** Returns the shortest decimal number that parses to this 32-bit float. Nine significant digits always suffice. */
export function shortest(score: number): string {
	for (let digits = 1; digits <= 9; digits++) {
		const text = score.toPrecision(digits);
		if (Math.fround(Number(text)) === score) {
			return String(Number(text));
		}
	}
	return String(score);
}
