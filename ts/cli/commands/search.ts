/** The command `passagekit search`, which retrieves passages for one query, or for a file of queries. */
import {type Command, Option} from 'commander';
import {retrievers} from '../../collection/live/hits.ts';
import {questionFormats} from '../../corpus/readers.ts';
import {UsageError} from '../errors.ts';
import {count, defaultIndex, filter, number} from '../options.ts';
import {addRemoteFlags, checkRemoteFlags} from '../remote/flags.ts';
import {type SearchFlags} from '../search/flags.ts';
import {searchOne} from '../search/one-query.ts';
import {searchFile} from '../search/queries-file.ts';

/** The flags that need `--queries`: property of `SearchFlags` → name on the command line. */
const fileFlags = {queryFormat: '--query-format', output: '--output', threads: '--threads', tag: '--tag'} as const;

export function registerSearch(program: Command, signal: AbortSignal): void {
	const command = program.command('search');
	addRemoteFlags(command)
		.description('show the best passages for a query, or retrieve passages for a file of queries and write a TREC run')
		.argument('[query]', 'the query; or else --queries')
		.option('-c, --collection <folder>', 'collection made by `passagekit add` or `passagekit index`', defaultIndex)
		.option('-q, --queries <file>', 'file of queries: TSV `id \\t text`, BEIR JSONL, DPR QA, SQuAD JSON or TREC topics; also gzipped')
		.addOption(new Option('--query-format <format>', 'format of the file of queries (default: auto)').choices(questionFormats))
		.addOption(
			new Option(
				'-r, --retriever <name>',
				'how passages are retrieved (default: hybrid, or bm25 if the collection has no vectors; bm25 with --queries)',
			).choices(retrievers),
		)
		.option('-k, --k <n>', 'number of passages per query (default: 10; 1000 with --queries)', count(1))
		.option('-f, --filter <json>', 'only passages of documents whose fields match, as in {"price":{"lt":50}}', filter)
		.option('-o, --output <run>', 'file to write the run to; - is standard output (default: -)')
		.option('--k1 <x>', 'BM25: saturation of term frequency', number, 0.9)
		.option('--b <x>', 'BM25: normalization by passage length', number, 0.4)
		.addOption(
			new Option('--vector-index <kind>', 'dense, hybrid: exact (flat) or approximate (hnsw) vector index').choices(['flat', 'hnsw']),
		)
		.addOption(new Option('--fusion <method>', 'hybrid: fusion method').choices(['dprHybrid', 'hybrid', 'hybridNorm', 'rrf']))
		.option('--alpha <x>', 'with --fusion hybrid or hybridNorm: weight of the BM25 score', number)
		.option('--lambda <x>', 'with --fusion dprHybrid: weight of the dense score', number)
		.option('--depth <n>', 'hybrid: number of passages taken from each list (default: 100; 1000 with --queries)', count(1))
		.option('--question-encoder <model>', "question encoder (default: the collection's)")
		.option('--threads <n>', 'number of threads (default: all cores)', count(1))
		.option('--tag <name>', 'name of the run, for its last column (default: passagekit-<retriever>)')
		.option('--json', 'print one JSON object: the hits, or with --queries and --output a summary of the run')
		.addHelpText(
			'after',
			`
Examples:
  $ passagekit search "reading light" --collection shop --filter '{"price":{"lt":50}}' -k 5
  $ passagekit search --queries questions.tsv --retriever hybrid --output run.txt`,
		)
		.action(async (query: string | undefined, flags: SearchFlags) => {
			checkRemoteFlags('search', flags, command, ['collection', 'k1', 'b']);
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
