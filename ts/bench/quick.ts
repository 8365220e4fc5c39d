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
	/** Of 100 words. @default 20000 */
	readonly passages?: number | undefined;
	/** @default 20000 */
	readonly vectors?: number | undefined;
	/** Of the vectors. @default 384 */
	readonly dim?: number | undefined;
	/** Hits of a query. @default 10 */
	readonly k?: number | undefined;
	/** Of approximate search, at least. @default 0.95 */
	readonly recall?: number | undefined;
	/** In each, everything has its turn. @default 5 */
	readonly rounds?: number | undefined;
	/** Of a turn, at least. @default 300 */
	readonly milliseconds?: number | undefined;
	/** What encodes; `false` leaves encoding out. @default 'minilm-encoder' */
	readonly encoder?: string | false | undefined;
	readonly signal?: AbortSignal | undefined;
	readonly onProgress?: ((progress: QuickBenchProgress) => void) | undefined;
}

export interface QuickBenchProgress {
	/** What is being done. */
	readonly stage: string;
	readonly done: number;
	readonly total: number;
}

/** What is timed together: one kind of index, or encoding. */
export interface QuickBenchGroup {
	readonly name: string;
	/** What it is over, in words. */
	readonly over: string;
	/** What a rate counts. */
	readonly unit: 'queries' | 'texts';
	/** Seconds that building took, and what came of it. */
	readonly built?: {readonly seconds: number; readonly bytes: number};
	readonly speeds: readonly Speed[];
	/** What was checked before, in words, and whether it is so. */
	readonly checks: readonly Check[];
}

export interface QuickBench {
	readonly format: 'passagekit bench 1';
	readonly passagekit: string;
	readonly machine: Machine;
	/** Before and after, over 1, 5 and 15 minutes. */
	readonly load: {readonly before: readonly number[]; readonly after: readonly number[]};
	/** Why the figures are not to be quoted; none on a quiet machine. */
	readonly noise: readonly string[];
	readonly settings: Readonly<Record<string, number | string | false>>;
	readonly groups: readonly QuickBenchGroup[];
	/** What could not be measured, and why. */
	readonly left: ReadonlyArray<{readonly name: string; readonly why: string}>;
}

/**
Measures queries per second of BM25, exact and approximate vector search, and texts per second of an encoder, over data that
passagekit carries or makes: passages put together of pieces of the embedded encyclopedia, and random vectors in clusters. All
take turns in every round; figures are medians over rounds. What is found is checked: exact search in double precision,
approximate search by its recall, one call for many queries by a call for each.

Numbers of machines compare; those of libraries do not, unless measured over the same data in the same run.
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
	const stage = async (name: string, done = 0, total = 0): Promise<void> => options.onProgress?.({stage: name, done, total});
	const folder = await onPath('write', tmpdir(), async () => mkdtemp(join(tmpdir(), 'passagekit-bench-')));
	const planned: Group[] = [];
	try {
		const left: Array<{name: string; why: string}> = [];
		const sizes = {passages, vectors, dim, k, recall};
		await stage('index passages');
		planned.push(await bm25Group(join(folder, 'bm25'), sizes, signal));
		await stage('index vectors');
		planned.push(...(await vectorGroups(folder, sizes, signal)));
		if (encoder !== false) {
			await stage('load the encoder');
			try {
				planned.push(await encodingGroup(encoder, signal));
			} catch (error) {
				signal?.throwIfAborted();
				left.push({name: 'Encoding', why: (error as Error).message});
			}
		}
		const subjects = planned.flatMap(group => group.subjects);
		const speeds = await measure(subjects, {rounds, milliseconds, signal, onTurn: async (done, total) => stage('measure', done, total)});
		const groups = planned.map(({name, over, unit, built, checks, subjects: own}) => ({
			name,
			over,
			unit,
			...(built && {built}),
			speeds: own.map(one => speeds[subjects.indexOf(one)]!),
			checks,
		}));
		const named = groups.flatMap(group => group.speeds.map(({name, rate}) => ({name: `${group.name} ${name}`, rate})));
		return {
			format: 'passagekit bench 1',
			passagekit: packageVersion(),
			machine: machine(),
			load: {before, after: load()},
			noise: noise(before, named),
			settings: {passages, vectors, dim, k, recall, rounds, milliseconds, encoder},
			groups,
			left,
		};
	} finally {
		await Promise.all(planned.map(async group => group.close()));
		await onPath('remove', folder, async () => rm(folder, {recursive: true, force: true}));
	}
}
