/** The command `passagekit search`, which retrieves passages for one query, or for a file of queries. */
import {type Command, Option} from 'commander';
import {retrievers} from '../../collection/live/hits.ts';
import {questionFormats} from '../../corpus/readers.ts';
import {UsageError} from '../errors.ts';
import {count, defaultIndex, filter, number} from '../options.ts';
import {type SearchFlags} from '../search/flags.ts';
import {searchOne} from '../search/one-query.ts';
import {searchFile} from '../search/queries-file.ts';

/** The flags that need `--queries`, with their names on the command line. */
const fileFlags = {queryFormat: '--query-format', output: '--output', threads: '--threads', tag: '--tag'} as const;

export function registerSearch(program: Command, signal: AbortSignal): void {
	program
		.command('search')
		.description('show the best passages for a query, or retrieve passages for a file of queries and write a TREC run')
		.argument('[query]', 'the query; or else --queries')
		.option('-c, --collection <folder>', 'collection made by `passagekit add` or `passagekit index`', defaultIndex)
		.option('-q, --queries <file>', 'TSV `id \\t text`, BEIR JSONL, DPR QA, SQuAD JSON, TREC topics; .gz too')
		.addOption(new Option('--query-format <format>', 'format of the file of queries (default: auto)').choices(questionFormats))
		.addOption(
			new Option('-r, --retriever <name>', 'default: hybrid, or bm25 if the collection has no vectors; bm25 with --queries').choices(
				retrievers,
			),
		)
		.option('-k, --k <n>', 'number of passages per query (default: 10; 1000 with --queries)', count(1))
		.option('-f, --filter <json>', 'which passages, by the fields of their documents, as in {"price":{"lt":50}}', filter)
		.option('-o, --output <run>', 'file of the run (default: standard output, also -)')
		.option('--k1 <x>', 'BM25: saturation of term frequency', number, 0.9)
		.option('--b <x>', 'BM25: normalization by passage length', number, 0.4)
		.addOption(new Option('--vector-index <kind>', 'dense: vector index').choices(['flat', 'hnsw']))
		.addOption(new Option('--fusion <method>', 'hybrid: fusion method').choices(['dprHybrid', 'hybrid', 'hybridNorm', 'rrf']))
		.option('--alpha <x>', 'hybrid, hybridNorm: weight of BM25', number)
		.option('--lambda <x>', 'dprHybrid: weight of the dense score', number)
		.option('--depth <n>', 'hybrid: number of passages taken from each list (default: 100; 1000 with --queries)', count(1))
		.option('--question-encoder <model>', "encoder of questions (default: the collection's)")
		.option('--threads <n>', 'number of threads (default: all cores)', count(1))
		.option('--tag <name>', 'last column of the run')
		.option('--json', 'print one JSON object: the hits; with --queries, about the run, which then needs --output')
		.addHelpText(
			'after',
			`
Examples:
  $ passagekit search "reading light" --collection shop --filter '{"price":{"lt":50}}' -k 5
  $ passagekit search --queries questions.tsv --retriever hybrid --output run.txt`,
		)
		.action(async (query: string | undefined, flags: SearchFlags) => {
			if ((query === undefined) === (flags.queries === undefined)) {
				throw new UsageError('search: expected either a query, as in `passagekit search "reading light"`, or --queries FILE');
			}
			if (query === undefined) {
				await searchFile(flags.queries!, flags, signal);
				return;
			}
			const refused = (['queryFormat', 'output', 'threads', 'tag'] as const).find(name => flags[name] !== undefined);
			if (refused !== undefined) {
				throw new UsageError(`search: ${fileFlags[refused]} needs --queries FILE, got one query`);
			}
			await searchOne(query, flags, signal);
		});
}
