/** The quick benchmark: measures the speed of this package on this machine in about a minute, with data that it contains or generates. */
import {mkdtemp, rm} from 'node:fs/promises';
import {tmpdir} from 'node:os';
import {join} from 'node:path';
import {packageVersion} from '../core/native/addon.ts';
import {checkCount, checkNumber} from '../core/checks.ts';
import {RetrievalError} from '../core/errors.ts';
import {onPath} from '../core/file-system.ts';
import {type Check, type Group, bm25Group, encodingGroup, vectorGroups} from './groups.ts';
import {type Machine, load, machine} from './machine.ts';
import {type Speed, measure} from './measure.ts';
import {noise} from './noise.ts';

export interface QuickBenchOptions {
	/** Number of passages, of 100 words each. @default 20000 */
	readonly passages?: number | undefined;
	/** Number of vectors. @default 20000 */
	readonly vectors?: number | undefined;
	/** Dimension of the vectors. @default 384 */
	readonly dim?: number | undefined;
	/** Number of hits per query. @default 10 */
	readonly k?: number | undefined;
	/** Minimum recall of approximate search. @default 0.95 */
	readonly recall?: number | undefined;
	/** Number of rounds. Each round measures everything once. @default 5 */
	readonly rounds?: number | undefined;
	/** Minimum duration of one measurement in milliseconds. @default 300 */
	readonly milliseconds?: number | undefined;
	/** The encoder to time; `false` skips encoding. @default 'minilm-encoder' */
	readonly encoder?: string | false | undefined;
	readonly signal?: AbortSignal | undefined;
	readonly onProgress?: ((progress: QuickBenchProgress) => void) | undefined;
}

export interface QuickBenchProgress {
	/** Name of the current stage. */
	readonly stage: string;
	/** Number of finished measurements. */
	readonly done: number;
	/** Number of all measurements; 0 in stages that measure nothing. */
	readonly total: number;
}

/** The results of the workloads that share data: those of one kind of index, or those of encoding. */
export interface QuickBenchGroup {
	readonly name: string;
	/** A description of the data. */
	readonly over: string;
	/** The unit of rates: queries or texts per second. */
	readonly unit: 'queries' | 'texts';
	/** Build time in seconds, and size on disk in bytes. */
	readonly built?: {readonly seconds: number; readonly bytes: number};
	readonly speeds: readonly Speed[];
	/** Checks that ran before the timing, and whether they hold. */
	readonly checks: readonly Check[];
}

export interface QuickBench {
	readonly format: 'passagekit bench 1';
	readonly passagekit: string;
	readonly machine: Machine;
	/** Load averages over 1, 5 and 15 minutes, before and after the benchmark. */
	readonly load: {readonly before: readonly number[]; readonly after: readonly number[]};
	/** Reasons not to trust the figures; empty on a quiet machine. */
	readonly noise: readonly string[];
	readonly settings: Readonly<Record<string, number | string | false>>;
	readonly groups: readonly QuickBenchGroup[];
	/** Groups that could not be measured, and the reasons. */
	readonly left: ReadonlyArray<{readonly name: string; readonly why: string}>;
}

/**
Measures queries per second of BM25, exact and approximate vector search, and texts per second of an encoder, with data that
passagekit contains or generates: passages built from pieces of the bundled encyclopedia, and random vectors in clusters. Every
round measures everything once. Rates are medians over the rounds; latencies are percentiles over all rounds. The hits are checked
too: those of exact search against an exhaustive search in double precision, those of approximate search by their recall, and those
of BM25's batch search against single searches.

Use the figures to compare machines. To compare libraries, measure all of them with the same data in one benchmark.
*/
export async function quickBench(options: QuickBenchOptions = {}): Promise<QuickBench> {
	const {passages = 20_000, vectors = 20_000, dim = 384, k = 10, recall = 0.95, rounds = 5, milliseconds = 300, signal} = options;
	const {encoder = 'minilm-encoder'} = options;
	for (const [what, value] of Object.entries({passages, vectors, dim, k, rounds, milliseconds})) {
		checkCount(what, value, 1);
	}
	checkNumber('recall', recall);
	if (recall <= 0 || recall > 1) {
		throw new RetrievalError('ERR_ARGUMENT', `recall: expected a number above 0, up to 1, got ${recall}`);
	}
	const before = load();
	const report = async (name: string, done = 0, total = 0): Promise<void> => options.onProgress?.({stage: name, done, total});
	const folder = await onPath('write', tmpdir(), async () => mkdtemp(join(tmpdir(), 'passagekit-bench-')));
	const groups: Group[] = [];
	try {
		const left: Array<{name: string; why: string}> = [];
		const sizes = {passages, vectors, dim, k, recall};
		await report('index passages');
		groups.push(await bm25Group(join(folder, 'bm25'), sizes, signal));
		await report('index vectors');
		groups.push(...(await vectorGroups(folder, sizes, signal)));
		if (encoder !== false) {
			await report('load the encoder');
			try {
				groups.push(await encodingGroup(encoder, signal));
			} catch (error) {
				signal?.throwIfAborted();
				left.push({name: 'Encoding', why: (error as Error).message});
			}
		}
		const workloads = groups.flatMap(group => group.workloads);
		const speeds = await measure(workloads, {
			rounds,
			milliseconds,
			signal,
			onMeasurement: async (done, total) => report('measure', done, total),
		});
		const results = groups.map(({name, over, unit, built, checks, workloads: own}) => ({
			name,
			over,
			unit,
			...(built && {built}),
			speeds: own.map(workload => speeds[workloads.indexOf(workload)]!),
			checks,
		}));
		const named = results.flatMap(group => group.speeds.map(({name, rate}) => ({name: `${group.name} ${name}`, rate})));
		return {
			format: 'passagekit bench 1',
			passagekit: packageVersion(),
			machine: machine(),
			load: {before, after: load()},
			noise: noise(before, named),
			settings: {passages, vectors, dim, k, recall, rounds, milliseconds, encoder},
			groups: results,
			left,
		};
	} finally {
		await Promise.all(groups.map(async group => group.close()));
		await onPath('remove', folder, async () => rm(folder, {recursive: true, force: true}));
	}
}
