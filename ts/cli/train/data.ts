/** Where `passagekit train encoder` and `passagekit train reader` get their examples: from files, or by mining. */
import {readQuestions} from '../../corpus/index.ts';
import {
	type MiningOptions,
	type MiningProgress,
	type MiningStatistics,
	type TrainingExample,
	mineTrainingExamples,
	readTrainingExamples,
} from '../../training/index.ts';
import {UsageError} from '../errors.ts';
import {MiningBars, checkMined, noteMining} from '../mining/report.ts';
import {MiningSource} from '../mining/source.ts';
import type {SharedFlags} from './shared.ts';

/** How examples are mined. */
export interface MiningSettings extends MiningOptions {
	/** Number of hard negatives per question of `--dev`. @default as for the other questions */
	readonly devHardNegatives?: number | undefined;
}

/** The examples for training and for validation. */
export interface TrainingData extends AsyncDisposable {
	readonly examples: AsyncIterable<TrainingExample>;
	readonly dev: AsyncIterable<TrainingExample> | undefined;
	/** What mining found, for `--json`; empty with `--data`. */
	readonly mining: {readonly mined?: MiningStatistics; readonly minedDev?: MiningStatistics};
}

/** Reads the examples from `--data`, or mines them from `--passages` and `--questions`. */
export async function trainingData(name: string, flags: SharedFlags, settings: MiningSettings): Promise<TrainingData> {
	const {devHardNegatives, ...mining} = settings;
	const {data, passages, questions, questionFormat, goldField, dev, json} = flags;
	if ((data === undefined) === (passages === undefined && questions === undefined)) {
		throw new UsageError(`${name}: expected --data, or --passages and --questions`);
	}
	const {signal} = mining;
	if (data !== undefined) {
		const onlyMined = {'--question-format': questionFormat, '--gold-field': goldField, '--dev-hard-negatives': devHardNegatives};
		const [flag] = Object.entries(onlyMined).find(([, given]) => given !== undefined) ?? [];
		if (flag !== undefined) {
			throw new UsageError(`${name}: expected ${flag} only with --questions, got it with --data`);
		}
		return {
			examples: readTrainingExamples(data, {signal}),
			dev: dev === undefined ? undefined : readTrainingExamples(dev, {signal}),
			mining: {},
			[Symbol.asyncDispose]: async () => {},
		};
	}
	if (passages === undefined || questions === undefined) {
		throw new UsageError(`${name}: expected --passages and --questions, got only one of them`);
	}
	if (devHardNegatives !== undefined && dev === undefined) {
		throw new UsageError(`${name}: expected --dev-hard-negatives only with --dev`);
	}
	const source = await MiningSource.open(name, passages, 'bm25');
	const bars = new MiningBars();
	const onProgress = (progress: MiningProgress): void => bars.update(progress);
	const statistics: {mined?: MiningStatistics; minedDev?: MiningStatistics} = {};
	const mine = async function* (
		file: string,
		key: keyof typeof statistics,
		options: MiningOptions,
	): AsyncGenerator<TrainingExample, void, undefined> {
		const onStatistics = (found: MiningStatistics): void => {
			bars.end();
			checkMined(name, found, file);
			statistics[key] = found;
			if (!json) {
				noteMining(found, file);
			}
		};
		try {
			if (dev !== undefined) {
				await source.prepare({signal, onProgress});
			}
			const read = readQuestions(file, {signal, format: questionFormat, goldField});
			yield* mineTrainingExamples(read, source.passages, {...options, ...source.searchers, onProgress, onStatistics});
		} finally {
			bars.end();
		}
	};
	const devSettings =
		devHardNegatives === undefined ? mining : {...mining, hardNegatives: devHardNegatives, maxRank: Math.max(100, 2 * devHardNegatives)};
	return {
		examples: mine(questions, 'mined', mining),
		dev: dev === undefined ? undefined : mine(dev, 'minedDev', devSettings),
		mining: statistics,
		[Symbol.asyncDispose]: async () => source[Symbol.asyncDispose](),
	};
}
