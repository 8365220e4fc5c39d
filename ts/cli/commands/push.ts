/** The command `passagekit push`, which writes a corpus or a collection to an index of an OpenSearch cluster. */
import {type Command, Option} from 'commander';
import {passageFormats, type PassageFormat} from '../../corpus/readers.ts';
import {OpenSearchCollection, type RemoteStorage} from '../../remote/index.ts';
import {remoteStorages} from '../../remote/index/schema.ts';
import {UsageError} from '../errors.ts';
import {analyzer, count, names} from '../options.ts';
import {amountOf, note, print, printJson} from '../output.ts';
import {ProgressBar, duration} from '../progress.ts';
import {type RemoteFlags, addConnectionFlags, connectionOf} from '../remote/flags.ts';
import {type SourceFlags, type SourceKind, openSource, sourceKind} from '../remote/source.ts';
import {Sample, verify} from '../remote/verify.ts';

interface PushFlags extends SourceFlags, Pick<RemoteFlags, 'ca' | 'awsRegion'> {
	readonly to: string[];
	readonly index: string;
	readonly shards: number;
	readonly replicas: number;
	readonly format: PassageFormat;
	readonly words?: number;
	readonly overlap?: number;
	readonly skipBadLines?: boolean;
	readonly workers: number;
	readonly sample: number;
	readonly seed: number;
	readonly storage?: RemoteStorage;
	readonly json?: boolean;
}

export function registerPush(program: Command, signal: AbortSignal): void {
	const command = program
		.command('push')
		.description(
			'write a corpus, or the passages and vectors of a collection, to an index of an OpenSearch cluster; continues after a stop',
		)
		.argument('<source>', 'a corpus file or folder, as for `passagekit index`, or the folder of a collection')
		.requiredOption('--to <addresses>', 'the address of a node of the cluster, or several with commas: https://localhost:9200', names)
		.requiredOption('--index <name>', 'the index, which is created if it does not exist')
		.option('--shards <n>', 'number of shards of a new index', count(1), 1)
		.option('--replicas <n>', 'number of copies of each shard of a new index, besides the first', count(0), 1)
		.option('--workers <n>', 'number of batches that are encoded and written at the same time', count(1), 2)
		.option('--sample <n>', 'number of passages whose texts and rankings are verified at the end', count(0), 20)
		.option('--seed <n>', 'seed of the choice of these passages', count(0), 42)
		.option('--encoder <model>', 'encoder of a corpus (default: minilm-encoder); a collection has its own')
		.option('--no-encoder', 'push no vectors')
		.option('--question-encoder <model>', 'question encoder of a corpus, if it differs from the passage encoder')
		.option('--analyzer <name>', 'how texts are turned into terms (default: english); a built collection has its own', analyzer)
		.addOption(
			new Option('--similarity <name>', 'similarity of the vectors of a collection that `passagekit add` changes; must be its own').choices(
				['dot', 'cosine', 'l2'],
			),
		)
		.addOption(
			new Option(
				'--storage <storage>',
				'how a new index stores vectors for graph searches: f32, or int8Rescored for less than a third of the memory (default: f32)',
			).choices(remoteStorages),
		)
		.addOption(new Option('--format <format>', 'format of a corpus').choices(passageFormats).default('auto'))
		.option('--words <n>', 'number of words per passage of a corpus (default: 100 for text; other formats are not split)', count(1))
		.option('--overlap <n>', 'number of words that a passage shares with the previous one', count(0))
		.option('--skip-bad-lines', 'skip invalid lines instead of stopping at the first one')
		.option('--json', 'print one JSON object');
	addConnectionFlags(command)
		.addHelpText('after', '\nExample:\n  $ passagekit push passagekit-index --to http://localhost:9200 --index docs --shards 3')
		.action(async (path: string, flags: PushFlags) => {
			const {format, words, overlap, skipBadLines = false, shards, replicas, workers, storage} = flags;
			const split = words === undefined && overlap === undefined ? undefined : {words: words ?? 100, overlap: overlap ?? 0};
			const files = {format, skipBadLines, ...(split === undefined ? {} : {split})};
			// Commander sets `encoder` to true if neither flag is given, because it also has the flag `--no-encoder`.
			const encoder = (flags.encoder as unknown) === true ? undefined : flags.encoder;
			const kind = await sourceKind(path);
			checkFlags(kind, flags, command);
			await using source = await openSource(path, kind, {...flags, encoder} as SourceFlags, files, signal);
			const connection = await connectionOf(flags.to, flags);
			const hasVectors = source.settings.encoder !== false || source.settings.vectors !== undefined;
			if (!hasVectors && storage !== undefined) {
				throw new UsageError('push: --storage has no effect without vectors');
			}
			const vectors = hasVectors ? {...source.settings.vectors, storage} : undefined;
			const options = {...connection, ...source.settings, vectors, shards, replicas, ifExists: 'open', signal} as const;
			await using collection = await OpenSearchCollection.create(flags.index, options);
			await noteSharding(collection, flags, command);
			const startedAt = performance.now();
			const bar = new ProgressBar('push', 'passages');
			const sample = new Sample(flags.sample, flags.seed);
			const onProgress = (progress: {readonly done: number; readonly total: number}): void => bar.update(progress);
			const {passages, written} = await collection
				.push(sample.taking(source.passages), {workers, total: source.total, signal, onProgress})
				.finally(() => bar.end());
			const milliseconds = Math.round(performance.now() - startedAt);
			await collection.refresh({signal});
			const verified = await verify(collection, passages, sample, source);
			if (flags.json) {
				printJson({index: flags.index, passages, written, verified, milliseconds});
				return;
			}
			print(
				`${amountOf(passages, 'passage')} in ${flags.index}; ${amountOf(written, 'passage')} written in ${duration(milliseconds / 1000)}`,
			);
			note(
				`verified: the number of passages, the texts of ${verified.texts}, and the rankings of ${verified.rankings} queries and ${verified.denseRankings} vectors`,
			);
			if (source.searcher !== undefined && verified.deletedPassages > 0) {
				note(
					`rankings were not compared, because ${amountOf(verified.deletedPassages, 'deleted passage')} still count in the statistics of the index; OpenSearchCollection.optimize() drops them`,
				);
			}
		});
}

/** Flags that only corpora have. */
const corpusFlags = {
	encoder: '--encoder',
	questionEncoder: '--question-encoder',
	format: '--format',
	words: '--words',
	overlap: '--overlap',
	skipBadLines: '--skip-bad-lines',
} as const;

/** Fails for flags that have no effect with this kind of source. */
function checkFlags(kind: SourceKind, flags: PushFlags, command: Command): void {
	const isGiven = (option: string): boolean => command.getOptionValueSource(option) === 'cli';
	const hasNoVectors = flags.encoder === false;
	if (kind === 'corpus') {
		if (isGiven('similarity')) {
			throw new UsageError('push: --similarity has no effect with a corpus, whose vectors have the similarity dot');
		}
		return;
	}
	for (const [option, flag] of Object.entries(corpusFlags)) {
		if (isGiven(option) && !(option === 'encoder' && hasNoVectors)) {
			throw new UsageError(`push: ${flag} has no effect with a collection, which is pushed as it is`);
		}
	}
	if (kind === 'built' && isGiven('analyzer')) {
		throw new UsageError('push: --analyzer has no effect with a collection that `passagekit index` built, which has its own analyzer');
	}
	if (isGiven('similarity') && (kind === 'built' || hasNoVectors)) {
		throw new UsageError(
			`push: --similarity has no effect with ${hasNoVectors ? '--no-encoder' : 'a collection that `passagekit index` built, which has the similarity dot'}`,
		);
	}
}

/** Says that an index exists with another number of shards or copies than the flags ask for: they are for new indexes. */
async function noteSharding(collection: OpenSearchCollection, flags: PushFlags, command: Command): Promise<void> {
	const stats = await collection.stats();
	for (const option of ['shards', 'replicas'] as const) {
		if (command.getOptionValueSource(option) === 'cli' && flags[option] !== stats[option]) {
			note(`--${option} ${flags[option]} has no effect, because ${stats.index} exists with ${option} ${stats[option]}`);
		}
	}
}
