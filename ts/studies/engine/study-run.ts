import {join, resolve} from 'node:path';
import type {CallOptions, Progress, Query, Run, Searcher} from '../../core/types.ts';
import {Collection} from '../../collection/index.ts';
import {readTrecRun, writeTrecRun} from '../../corpus/index.ts';
import {exists, makeFolder, runFiles, startRun} from '../storage/run-folder.ts';
import type {StudyOptions} from './options.ts';

export interface SearchStage {
	readonly queries: readonly Query[];
	/** Hits per query. */
	readonly k: number;
	/** Name of the stage. @default `search` and the name of the file */
	readonly stage?: string;
	/** Name of the system in the TREC file. @default the name of the file */
	readonly system?: string;
}

/**
One run of a study: its folder, its progress, and its results so far. Every stage first looks for its files in the folder, so that a
stopped run continues where it stopped.
*/
export class StudyRun {
	readonly folder: string;
	/** The command that repeats the study. */
	readonly command: string;
	readonly signal: AbortSignal | undefined;
	readonly #onProgress: StudyOptions['onProgress'];

	constructor(folder: string, command: string, {signal, onProgress}: Pick<StudyOptions, 'signal' | 'onProgress'>) {
		this.folder = resolve(folder);
		this.command = command;
		this.signal = signal;
		this.#onProgress = onProgress;
	}

	/** Fails with `ERR_ARGUMENT` if the folder has a run of another configuration. */
	async start(configuration: object): Promise<void> {
		await startRun(this.folder, configuration);
	}

	path(...names: readonly string[]): string {
		return join(this.folder, ...names);
	}

	/** The options of a call that belongs to a stage: progress is reported under the stage's name. */
	stage(stage: string): {readonly signal: AbortSignal | undefined; readonly onProgress: NonNullable<CallOptions['onProgress']>} {
		return {signal: this.signal, onProgress: (progress: Progress) => this.#onProgress?.({...progress, stage})};
	}

	/** The collection of passages with their BM25 index and without vectors, built if it does not exist yet. */
	async textCollection(corpus: string): Promise<Collection> {
		const path = this.path(runFiles.collection);
		if (await exists(join(path, 'passagekit.json'))) {
			return Collection.open(path);
		}
		return Collection.build(corpus, path, {
			encoder: false,
			overwrite: true,
			signal: this.signal,
			onProgress: ({stage, ...progress}) => this.stage(stage).onProgress(progress),
		});
	}

	/**
	The TREC run in the file `FOLDER/NAME.trec`; `find` computes it if there is none. The result is always read back from the file, so
	that a resumed run continues with the same scores as one that was never stopped.
	*/
	async trecRun(name: string, find: () => Promise<Run>, {folder = runFiles.runs as string, system = name} = {}): Promise<Run> {
		const path = this.path(folder, `${name}.trec`);
		if (!(await exists(path))) {
			const run = await find();
			await makeFolder(this.path(folder));
			await writeTrecRun(path, run, `passagekit-${system}`, {signal: this.signal});
		}
		return readTrecRun(path, {signal: this.signal});
	}

	/** Searches for all queries, once: see `trecRun`. `open` is called only if the file does not exist. */
	async search(name: string, open: () => Searcher | Promise<Searcher>, options: SearchStage): Promise<Run> {
		const {queries, k, stage = `search ${name}`, system = name} = options;
		return this.trecRun(name, async () => (await open()).searchMany(queries, {k, ...this.stage(stage)}), {system});
	}
}
