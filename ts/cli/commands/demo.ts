/**
The command `passagekit demo`, which indexes the encyclopedia that is part of the package, answers its test questions,
and evaluates the answers.
*/
import {readdir, stat} from 'node:fs/promises';
import {join, relative} from 'node:path';
import {monitorEventLoopDelay} from 'node:perf_hooks';
import type {Command} from 'commander';
import {type BuildStage, Collection, type StageReport} from '../../collection/index.ts';
import {retrievers} from '../../collection/live/hits.ts';
import type {Retriever} from '../../collection/live/types.ts';
import {parts} from '../../collection/manifest.ts';
import {encyclopedia} from '../../corpus/index.ts';
import {onPath} from '../../core/file-system.ts';
import {type Outcome, accuracyAt, meanExactMatch, meanF1, measure, percentile} from '../demo/measure.ts';
import {chooseThree, showcase} from '../demo/showcase.ts';
import {count} from '../options.ts';
import {print, printJson, styled} from '../output.ts';
import {ProgressBar, bytes, duration} from '../progress.ts';
import {table} from '../table.ts';

interface DemoFlags {
	readonly output: string;
	readonly maxQuestions: number;
	readonly passagesRead: number;
	readonly json?: boolean;
}

/** Descriptions of the stages of building a collection. */
const stageNames: Record<BuildStage, string> = {
	read: 'read and split into 100-word passages',
	bm25: 'BM25 index',
	encode: 'encode, flat index',
	hnsw: 'HNSW graph',
};

export function registerDemo(program: Command, signal: AbortSignal): void {
	program
		.command('demo')
		.description('index, search, answer and evaluate, with the encyclopedia that is part of passagekit')
		.option('-o, --output <folder>', 'folder of the collection to build; replaced if it exists', '.demo/encyclopedia')
		.option('--max-questions <n>', 'number of test questions (0: all)', count(0), 0)
		.option('--passages-read <n>', 'number of passages read per question', count(1), 5)
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit demo --max-questions 20')
		.action(async (flags: DemoFlags) => demo(flags, signal));
}

async function demo(flags: DemoFlags, signal: AbortSignal): Promise<void> {
	const eventLoopDelay = monitorEventLoopDelay({resolution: 1});
	eventLoopDelay.enable();
	const printUnlessJson = (text: string): void => {
		if (!flags.json) {
			print(text);
		}
	};
	const {articles, questions: loadQuestions} = encyclopedia();
	printUnlessJson(styled('bold', '1  Index'));
	const buildStages: StageReport[] = [];
	let bar: ProgressBar | undefined;
	let current: BuildStage | undefined;
	const built = await Collection.build(articles, flags.output, {
		overwrite: true,
		signal,
		onProgress({stage, ...progress}) {
			if (stage !== current) {
				bar?.end();
				current = stage;
				bar = new ProgressBar(stage, stage === 'read' ? 'bytes' : 'passages');
			}
			bar?.update(progress);
		},
		onStage(report) {
			bar?.end();
			buildStages.push(report);
			printUnlessJson(
				`   ${stageNames[report.stage].padEnd(40)} ${String(report.passages).padStart(5)} passages in ${duration(report.milliseconds / 1000)}`,
			);
		},
	}).finally(() => bar?.end());
	await built.close();
	const sizes = await sizesOf(flags.output);
	let startedAt = performance.now();
	await using collection = await Collection.open(flags.output);
	// Vector indexes are opened on first use. These calls open both of them, so that `openMs` includes it.
	await collection.flat();
	await collection.hnsw();
	const openMs = performance.now() - startedAt;
	printUnlessJson(
		`   ${'reopened, memory-mapped'.padEnd(40)} ${String(collection.manifest.passages).padStart(5)} passages in ${duration(openMs / 1000)}`,
	);
	startedAt = performance.now();
	await Promise.all([collection.encoder(), collection.reader()]);
	printUnlessJson(
		`   ${'encoder and reader loaded'.padEnd(40)} ${' '.repeat(14)} in ${duration((performance.now() - startedAt) / 1000)}\n`,
	);

	const allQuestions = await loadQuestions('test');
	const questions = flags.maxQuestions > 0 ? allQuestions.slice(0, flags.maxQuestions) : allQuestions;
	printUnlessJson(
		styled('bold', `2  Answer ${questions.length} test questions: retrieve 20 passages, read the first ${flags.passagesRead}`),
	);
	const outcomes = new Map<Retriever, Outcome[]>();
	for (const retriever of retrievers) {
		const progress = new ProgressBar(retriever, 'questions');
		outcomes.set(
			retriever,
			await measure(collection, retriever, questions, {
				k: 20,
				passagesRead: flags.passagesRead,
				signal,
				onQuestion: done => progress.update({done, total: questions.length}),
			}).finally(() => progress.end()),
		);
	}
	const times = await stageTimes(
		collection,
		questions.map(({text}) => text),
		[...outcomes.values()].flat(),
	);
	eventLoopDelay.disable();
	const maxDelayMs = eventLoopDelay.max / 1e6;
	const results = retrievers.map(retriever => {
		const ofRetriever = outcomes.get(retriever)!;
		const searchTimes = ofRetriever.map(({searchMs}) => searchMs);
		return {
			retriever,
			top1: accuracyAt(ofRetriever, 1),
			top5: accuracyAt(ofRetriever, 5),
			top20: accuracyAt(ofRetriever, 20),
			exactMatch: meanExactMatch(ofRetriever),
			f1: meanF1(ofRetriever),
			medianMs: percentile(searchTimes, 0.5),
			p99Ms: percentile(searchTimes, 0.99),
		};
	});
	if (flags.json) {
		printJson({
			passages: collection.manifest.passages,
			questions: questions.length,
			retrievers: results,
			stages: times,
			build: buildStages,
			openMs,
			sizes,
			eventLoopHeldMs: maxDelayMs,
		});
		return;
	}
	const share = (value: number): string => value.toFixed(3);
	const ms = (value: number): string => value.toFixed(value < 10 ? 2 : 1);
	print(
		table(
			['retriever', 'top-1', 'top-5', 'top-20', 'EM', 'F1', 'median ms', 'p99 ms'],
			results.map(result => [
				result.retriever,
				share(result.top1),
				share(result.top5),
				share(result.top20),
				share(result.exactMatch),
				share(result.f1),
				ms(result.medianMs),
				ms(result.p99Ms),
			]),
		),
	);
	print('');
	print(
		table(
			['stage', 'median ms', 'p99 ms'],
			times.map(({stage, medianMs, p99Ms}) => [stage, ms(medianMs), ms(p99Ms)]),
		),
	);
	print('');
	print(
		table(
			['index', 'size', 'built in'],
			[
				['passages', bytes(sizes.passages), builtIn(buildStages, 'read')],
				['BM25', bytes(sizes.bm25), builtIn(buildStages, 'bm25')],
				['flat', bytes(sizes.flat), `${builtIn(buildStages, 'encode')} with encoding`],
				['HNSW', bytes(sizes.hnsw), builtIn(buildStages, 'hnsw')],
			],
		),
	);
	print(`\nThe event loop was never blocked for more than ${maxDelayMs.toFixed(1)} ms.\n`);
	print(styled('bold', '3  Three questions in full'));
	for (const question of chooseThree(outcomes)) {
		print(`\n${showcase(outcomes, question, Math.min(process.stdout.columns ?? 120, 160))}`);
	}
	print(`\n${styled('bold', '4  What to try next')}`);
	print(nextSteps(flags.output, questions[0]!.text));
}

/** Latency of one stage of answering a question. */
interface StageTime {
	readonly stage: string;
	readonly medianMs: number;
	readonly p99Ms: number;
}

/**
Measures the latency of encoding and of each kind of search, one question at a time. The latency of reading was already
measured: it comes from `outcomes`.
*/
async function stageTimes(collection: Collection, texts: readonly string[], outcomes: readonly Outcome[]): Promise<StageTime[]> {
	const [encoder, flat, hnsw] = [await collection.encoder(), await collection.flat(), await collection.hnsw()];
	const times = {encode: [] as number[], bm25: [] as number[], flat: [] as number[], hnsw: [] as number[]};
	const timed = async <T>(durations: number[], work: () => Promise<T>): Promise<T> => {
		const startedAt = performance.now();
		const result = await work();
		durations.push(performance.now() - startedAt);
		return result;
	};
	for (const text of texts) {
		await timed(times.bm25, async () => collection.bm25.search(text, {k: 20}));
		const {data} = await timed(times.encode, async () => encoder.encode([text]));
		await timed(times.flat, async () => flat.search(data, {k: 20}));
		await timed(times.hnsw, async () => hnsw.search(data, {k: 20}));
	}
	const row = (stage: string, values: readonly number[]): StageTime => ({
		stage,
		medianMs: percentile(values, 0.5),
		p99Ms: percentile(values, 0.99),
	});
	return [
		row('BM25 search, top 20', times.bm25),
		row('encode a question', times.encode),
		row('flat search, top 20', times.flat),
		row('HNSW search, top 20', times.hnsw),
		row(
			'read the passages',
			outcomes.map(({readMs}) => readMs),
		),
	];
}

/** Returns the sizes in bytes of the parts of a collection. */
async function sizesOf(folder: string): Promise<{passages: number; bm25: number; flat: number; hnsw: number}> {
	const size = async (path: string): Promise<number> => {
		const status = await onPath('open', path, async () => stat(path));
		if (!status.isDirectory()) {
			return status.size;
		}
		const sizes = await Promise.all((await onPath('read', path, async () => readdir(path))).map(async name => size(join(path, name))));
		return sizes.reduce((sum, bytes) => sum + bytes, 0);
	};
	const sizeOf = async (part: keyof typeof parts): Promise<number> => size(join(folder, parts[part]));
	return {passages: await sizeOf('passages'), bm25: await sizeOf('bm25'), flat: await sizeOf('flat'), hnsw: await sizeOf('hnsw')};
}

/** Returns how long a stage of the build took. */
function builtIn(stages: readonly StageReport[], stage: BuildStage): string {
	return duration((stages.find(report => report.stage === stage)?.milliseconds ?? 0) / 1000);
}

/** Returns commands and a program for the user to try. */
function nextSteps(folder: string, question: string): string {
	return `
   npx passagekit ask "${question}" --collection ${relative('.', folder)}
   npx passagekit index ./my-docs && npx passagekit ask "…"

   or in ten lines:

      import {Collection} from 'passagekit';

      const collection = await Collection.build('./my-docs', './my-index');
      const {answers, passages} = await collection.ask('Who built the bridge?');
      for (const {text, passageId, score} of answers) {
        console.log(text, passageId, score);
      }
      const searcher = await collection.searcher('hybrid');
      console.log(await searcher.search('bridges of steel', {k: 5}));
      await collection.close();
`;
}
