/** The command `passagekit search`, which retrieves passages for a file of queries and writes a TREC run. */
import {type Command, Option} from 'commander';
import {Collection, type Retriever, retrievers} from '../../collection/collection.ts';
import {type QuestionFormat, questionFormats, readQuestions} from '../../corpus/readers.ts';
import {checkColumn, writeTrecRun} from '../../corpus/trec-files.ts';
import type {FusionMethod} from '../../fusion/index.ts';
import type {Query} from '../../core/types.ts';
import {UsageError} from '../errors.ts';
import {count, defaultIndex, number} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {ProgressBar, duration} from '../progress.ts';

interface SearchFlags {
	readonly collection: string;
	readonly queries: string;
	readonly queryFormat: QuestionFormat;
	readonly retriever: Retriever;
	readonly k: number;
	readonly output?: string;
	readonly k1: number;
	readonly b: number;
	readonly vectorIndex?: 'flat' | 'hnsw';
	readonly fusion?: 'dprHybrid' | 'hybrid' | 'hybridNorm' | 'rrf';
	readonly alpha?: number;
	readonly lambda?: number;
	readonly depth: number;
	readonly questionEncoder?: string;
	readonly threads: number;
	readonly tag?: string;
	readonly json?: boolean;
}

export function registerSearch(program: Command, signal: AbortSignal): void {
	program
		.command('search')
		.description('retrieve passages for a file of queries, and write a TREC run')
		.option('-c, --collection <folder>', 'collection built by `passagekit index`', defaultIndex)
		.requiredOption('-q, --queries <file>', 'TSV `id \\t text`, BEIR JSONL, DPR QA, SQuAD JSON, TREC topics; .gz too')
		.addOption(new Option('--query-format <format>', 'format of the file').choices(questionFormats).default('auto'))
		.addOption(new Option('-r, --retriever <name>').choices(retrievers).default('bm25'))
		.option('-k, --k <n>', 'passages per query', count(1), 1000)
		.option('-o, --output <run>', 'file of the run (default: standard output, also -)')
		.option('--k1 <x>', 'BM25: saturation of term frequency', number, 0.9)
		.option('--b <x>', 'BM25: normalization by passage length', number, 0.4)
		.addOption(new Option('--vector-index <kind>', 'dense: vector index').choices(['flat', 'hnsw']))
		.addOption(new Option('--fusion <method>', 'hybrid: fusion method').choices(['dprHybrid', 'hybrid', 'hybridNorm', 'rrf']))
		.option('--alpha <x>', 'hybrid, hybridNorm: weight of BM25', number)
		.option('--lambda <x>', 'dprHybrid: weight of the dense score', number)
		.option('--depth <n>', 'hybrid: number of passages taken from each list', count(1), 1000)
		.option('--question-encoder <model>', "encoder of questions (default: the collection's)")
		.option('--threads <n>', 'number of threads (default: all cores)', count(1), 0)
		.option('--tag <name>', 'last column of the run')
		.option('--json', 'print one JSON object about the run; the run itself needs --output then')
		.action(async (flags: SearchFlags) => {
			const toFile = flags.output !== undefined && flags.output !== '-';
			if (flags.json && !toFile) {
				throw new UsageError('search: --json needs --output FILE, because the run itself goes to standard output otherwise');
			}
			const queries: Query[] = [];
			for await (const {id, text} of readQuestions(flags.queries, {format: flags.queryFormat, signal})) {
				checkColumn('query id', id);
				queries.push({id, text});
			}
			const tag = flags.tag ?? `passagekit-${flags.retriever}`;
			checkColumn('tag', tag);
			await using collection = await Collection.open(flags.collection, {k1: flags.k1, b: flags.b, questionEncoder: flags.questionEncoder});
			const searcher = await collection.searcher(flags.retriever, {
				vectorIndex: flags.vectorIndex,
				depth: flags.depth,
				fusion: fusionOf(flags),
			});
			const bar = new ProgressBar('search', 'queries');
			const began = performance.now();
			const run = await searcher
				.searchMany(queries, {
					k: flags.k,
					signal,
					threads: flags.threads,
					onProgress: progress => bar.update(progress),
				})
				.finally(() => bar.end());
			const milliseconds = performance.now() - began;
			if (toFile) {
				await writeTrecRun(flags.output!, run, tag, {signal});
			} else {
				for (const [query, hits] of run) {
					hits.forEach(({id}) => checkColumn('passage id', id));
					print(hits.map(({id, score}, i) => `${query} Q0 ${id} ${i + 1} ${shortest(score)} ${tag}\n`).join(''));
				}
			}
			const summary = {
				retriever: flags.retriever,
				queries: run.size,
				k: flags.k,
				milliseconds: Math.round(milliseconds),
				output: flags.output ?? '-',
			};
			if (flags.json) {
				printJson(summary);
			} else {
				note(`${run.size.toLocaleString('en')} queries in ${duration(milliseconds / 1000)}${toFile ? `, written to ${flags.output}` : ''}`);
			}
		});
}

function fusionOf({fusion, alpha, lambda}: SearchFlags): FusionMethod | undefined {
	switch (fusion) {
		case undefined: {
			if (alpha !== undefined || lambda !== undefined) {
				throw new UsageError('search: --alpha and --lambda need --fusion, whose weight they are');
			}
			return undefined;
		}
		case 'dprHybrid': {
			return {method: fusion, ...(lambda === undefined ? {} : {lambda})};
		}
		case 'rrf': {
			return {method: fusion};
		}
		default: {
			if (alpha === undefined) {
				throw new UsageError(`search: --fusion ${fusion} needs --alpha`);
			}
			return {method: fusion, alpha};
		}
	}
}

/** The shortest decimal that parses to this 32-bit float. */
export function shortest(score: number): string {
	for (let digits = 1; digits <= 9; digits++) {
		const text = score.toPrecision(digits);
		if (Math.fround(Number(text)) === score) {
			return String(Number(text));
		}
	}
	return String(score);
}
