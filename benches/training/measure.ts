// Measures both systems: first whether their losses agree, then speed and memory, in turns.
import {join} from 'node:path';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {coreTicks} from '../qps/harness/machine.ts';
import {System} from '../qps/harness/system.ts';
import {figure} from '../qps/statistics/statistics.ts';
import {type WrittenBatches, minedExamples, model, paddedTokenCount, tokenCount, writeBatches} from './data.ts';
import {
	type Agreement,
	type DataName,
	type DataResult,
	type Definition,
	type Opened,
	type Results,
	type Settings,
	type Speed,
	type SystemSpeed,
	type Trained,
	commonSettings,
} from './definition.ts';

export const systemsFolder = join(packageRoot, 'benches', 'training', 'systems');
export const systems = ['passagekit', 'pytorch'] as const;
/** The systems by their names here: the folders in `systems/`, with an argument of `start`. */
type SystemName = (typeof systems)[number] | 'pytorch default-malloc';

const DATA: readonly DataName[] = ['passages', 'sentences'];
/** The number of steps that the learning rates are computed for when speed is measured. The speed does not depend on it. */
const SCHEDULED_STEPS = 1000;
const WARM_UP = 0.1;
/** Linux reports CPU time in ticks of 10 ms. */
const TICKS_PER_SECOND = 100;

/** Measures everything. */
export async function measure(definition: Definition, say: (line: string) => void): Promise<Results> {
	const {batchSize, hardNegatives, comparedSteps, rounds, stepsPerRound, threads, bf16, large} = definition;
	const versions = await systemVersions();
	const needed = Math.max(comparedSteps, 1 + rounds * stepsPerRound);
	const data: Partial<Record<DataName, DataResult>> = {};
	let largeResult: Results['large'] | undefined;
	for (const name of DATA) {
		const examples = await minedExamples(name);
		const written = await writeBatches(`${name}.json`, examples, needed, {batchSize, hardNegatives});
		const timed = written.batches.slice(1, 1 + rounds * stepsPerRound);
		const mean = (count: (batch: (typeof timed)[number]) => number): number =>
			Math.round(timed.reduce((sum, batch) => sum + count(batch), 0) / timed.length);
		say(`${name}: ${examples.length} examples`);
		const agreement = await compareLosses(written, {dropout: 0, steps: comparedSteps, threads: Math.max(...threads), bf16});
		say(`  greatest difference of losses ${agreement.maxLossDifference.toExponential(1)}`);
		const speeds: Speed[] = [];
		for (const count of threads) {
			speeds.push(await compareSpeed(written, count, definition, say));
		}
		data[name] = {tokensPerStep: mean(tokenCount), paddedTokensPerStep: mean(paddedTokenCount), agreement, speeds};
		if (name === 'passages') {
			largeResult = await measureLarge(await writeBatches('large.json', examples, large.steps, large), {
				threads: Math.max(...threads),
				bf16,
			});
		}
	}
	return {versions, data: data as Results['data'], large: largeResult!};
}

export async function systemVersions(): Promise<Results['versions']> {
	const [passagekit, pytorch] = [await versionOf('passagekit'), await versionOf('pytorch')];
	return {passagekit, pytorch};
}

async function versionOf(name: SystemName): Promise<string> {
	const system = start(name, 1);
	try {
		return await system.version();
	} catch (error) {
		throw new Error(`${name}: ${(error as Error).message}; --setup installs it`, {cause: error});
	} finally {
		await system.close();
	}
}

function start(name: SystemName, threads: number): System {
	const [folder, ...args] = name.split(' ');
	return new System(join(systemsFolder, folder!), {args, threads});
}

/** The settings that differ between measurements. */
type Variable = Pick<Settings, 'dropout' | 'steps' | 'threads' | 'bf16'>;

/** Runs work with the processes of systems, and ends them afterwards. Each has opened the model and the batches. */
export async function withSystems<T>(
	names: readonly SystemName[],
	{file, batches}: WrittenBatches,
	variable: Variable,
	work: (opened: readonly System[]) => Promise<T>,
): Promise<T> {
	const settings: Settings = {...commonSettings, ...variable, warmUpSteps: Math.floor(WARM_UP * variable.steps)};
	const opened = names.map(name => start(name, settings.threads));
	try {
		for (const system of opened) {
			const reply = await system.ask<Opened>({verb: 'open', model, settings, file});
			if (reply.batches !== batches.length) {
				throw new Error(`open: expected ${batches.length} batches, got ${reply.batches}`);
			}
		}
		return await work(opened);
	} finally {
		await Promise.all(opened.map(async system => system.close()));
	}
}

/** Makes steps with the batches from `from` on. Checks that the system counts the tokens that are in the file. */
export async function train(system: System, {batches}: WrittenBatches, from: number, count: number): Promise<Trained> {
	const trained = await system.ask<Trained>({verb: 'train', from, count});
	const expected = batches.slice(from, from + count).map(tokenCount);
	if (trained.tokens.join() !== expected.join()) {
		throw new Error(`train: expected batches of ${expected.join()} tokens, got ${trained.tokens.join()}`);
	}
	return trained;
}

/** Compares the losses and the norms of gradients of both systems, without dropout. */
async function compareLosses(written: WrittenBatches, variable: Variable): Promise<Agreement> {
	const {steps} = variable;
	return withSystems(systems, written, variable, async ([passagekit, pytorch]) => {
		const ours = await train(passagekit!, written, 0, steps);
		const theirs = await train(pytorch!, written, 0, steps);
		const differences = (key: 'losses' | 'gradientNorms'): number[] => ours[key].map((value, i) => Math.abs(value - theirs[key][i]!));
		const norms = differences('gradientNorms');
		const curves = ({losses, gradientNorms}: Trained): Pick<Trained, 'losses' | 'gradientNorms'> => ({losses, gradientNorms});
		return {
			steps,
			passagekit: curves(ours),
			pytorch: curves(theirs),
			maxLossDifference: Math.max(...differences('losses')),
			maxGradientNormDifference: Math.max(...norms),
			maxRelativeGradientNormDifference: Math.max(...norms.map((difference, i) => difference / theirs.gradientNorms[i]!)),
		};
	});
}

/** Compares the speed and the memory of both systems. They take turns; the first one of a round is the second one of the next. */
async function compareSpeed(
	written: WrittenBatches,
	threads: number,
	{rounds, stepsPerRound, bf16}: Definition,
	say: (line: string) => void,
): Promise<Speed> {
	const variable = {dropout: 0.1, steps: SCHEDULED_STEPS, threads, bf16};
	const pytorchDefaultMalloc = await withSystems(['pytorch default-malloc'], written, variable, async ([system]) => {
		await train(system!, written, 0, 1);
		return systemSpeed(system!, [await train(system!, written, 1, stepsPerRound)]);
	});
	return withSystems(systems, written, variable, async opened => {
		const results: Trained[][] = opened.map(() => []);
		const otherBusyCores = otherWork(opened);
		// The first step also allocates memory and starts threads.
		for (const system of opened) {
			await train(system, written, 0, 1);
		}
		for (let round = 0; round < rounds; round++) {
			const order = round % 2 === 0 ? [0, 1] : [1, 0];
			for (const at of order) {
				results[at]!.push(await train(opened[at]!, written, 1 + round * stepsPerRound, stepsPerRound));
			}
		}
		const [passagekit, pytorch] = opened.map((system, at) => systemSpeed(system, results[at]!));
		const ratio = (nanos: 'wallNanos' | 'cpuNanos'): Speed['wallRatio'] =>
			figure(results[0]!.map((ours, round) => results[1]![round]![nanos] / ours[nanos]));
		const peaks = [pytorch!.peakBytes, pytorchDefaultMalloc.peakBytes].filter(bytes => bytes !== undefined);
		const speed: Speed = {
			threads,
			passagekit: passagekit!,
			pytorch: pytorch!,
			pytorchDefaultMalloc,
			wallRatio: ratio('wallNanos'),
			cpuRatio: ratio('cpuNanos'),
			memoryRatio: passagekit!.peakBytes && Number((Math.min(...peaks) / passagekit!.peakBytes).toFixed(3)),
			otherBusyCores: otherBusyCores(),
		};
		say(`  ${threads} threads: ${speed.wallRatio.median} times the speed of PyTorch by wall time, ${speed.cpuRatio.median} by CPU time`);
		return speed;
	});
}

/** Starts to observe the machine. The returned function returns the mean number of cores that have been busy with other work since. */
function otherWork(opened: readonly System[]): () => number | undefined {
	const others = (): number | undefined => {
		const all = coreTicks();
		return all && all.worked - opened.reduce((sum, system) => sum + system.cpuTicks(), 0);
	};
	const [before, began] = [others(), performance.now()];
	return () => {
		const after = others();
		const seconds = (performance.now() - began) / 1000;
		return before === undefined || after === undefined ? undefined : Number(((after - before) / TICKS_PER_SECOND / seconds).toFixed(3));
	};
}

function systemSpeed(system: System, results: readonly Trained[]): SystemSpeed {
	return {
		tokensPerSecond: figure(results.map(trained => (1e9 * tokensOf(trained)) / trained.wallNanos)),
		tokensPerCpuSecond: figure(results.map(trained => (1e9 * tokensOf(trained)) / trained.cpuNanos)),
		peakBytes: system.peakBytes(),
		anonBytes: system.peakParts().anonBytes,
	};
}

/** Measures passagekit's memory with large batches. */
async function measureLarge(written: WrittenBatches, options: Pick<Variable, 'threads' | 'bf16'>): Promise<Results['large']> {
	const variable = {...options, dropout: 0.1, steps: SCHEDULED_STEPS};
	return withSystems(['passagekit'], written, variable, async ([system]) => {
		const trained = await train(system!, written, 0, written.batches.length);
		return {
			tokensPerStep: Math.round(tokensOf(trained) / written.batches.length),
			tokensPerSecond: Math.round((1e9 * tokensOf(trained)) / trained.wallNanos),
			peakBytes: system!.peakBytes(),
		};
	});
}

const tokensOf = ({tokens}: Trained): number => tokens.reduce((sum, count) => sum + count, 0);
