/** One execution of a study, with the folder in which it stores its intermediate results. */
import {join, resolve} from 'node:path';
import type {CallOptions, Progress, Query, Run, Searcher} from '../../core/types.ts';
import {Collection} from '../../collection/index.ts';
import {readTrecRun, writeTrecRun} from '../../corpus/index.ts';
import {exists, makeFolder, runFiles, startRun} from '../storage/run-folder.ts';
import type {StudyOptions} from './options.ts';

/** The options of `StudyRun.search`. */
export interface SearchStage {
	readonly queries: readonly Query[];
	/** Number of hits per query. */
	readonly k: number;
	/** Name of the stage. @default `search NAME`, with the name of the TREC run */
	readonly stage?: string;
	/** Name of the system in the TREC file, without its prefix `passagekit-`. @default the name of the TREC run */
	readonly system?: string;
}

/**
One execution of a study. Every stage first looks for its files in the folder and computes only those that are missing,
so a study that was stopped continues where it stopped. In this class, the hits of many queries, which other files call
a run, are called a TREC run.
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

	/** Stores the configuration. Fails with `ERR_ARGUMENT` if the folder has the results of a different configuration. */
	async start(configuration: object): Promise<void> {
		await startRun(this.folder, configuration);
	}

	/** Returns the path of a file in the folder. */
	path(...names: readonly string[]): string {
		return join(this.folder, ...names);
	}

	/** Returns the options for a call that belongs to a stage. The call's progress is reported with the stage's name. */
	stage(stage: string): {readonly signal: AbortSignal | undefined; readonly onProgress: NonNullable<CallOptions['onProgress']>} {
		return {signal: this.signal, onProgress: (progress: Progress) => this.#onProgress?.({...progress, stage})};
	}

	/**
	Returns the part of the execution that belongs to another data set. Its folder is inside this run's folder, and the
	names of its stages start with `name`.
	*/
	part(name: string, ...folder: readonly string[]): StudyRun {
		const onProgress: StudyOptions['onProgress'] = ({stage, ...progress}) => this.stage(`${name}: ${stage}`).onProgress(progress);
		return new StudyRun(this.path(...folder), this.command, {signal: this.signal, onProgress});
	}

	/**
	Opens the collection of the passages, which has a BM25 index and no vectors. It is built if it does not exist yet.
	*/
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
	Returns the TREC run in the file `FOLDER/NAME.trec`. If there is no such file, `find` computes the run. The result
	is always read back from the file, so that a resumed study continues with the same scores as a study that was never
	stopped.
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

	/**
	Searches for all queries and stores the TREC run: see `trecRun`. `open` is called only if the file does not exist.
	*/
	async search(name: string, open: () => Searcher | Promise<Searcher>, options: SearchStage): Promise<Run> {
		const {queries, k, stage = `search ${name}`, system = name} = options;
		return this.trecRun(name, async () => (await open()).searchMany(queries, {k, ...this.stage(stage)}), {system});
	}
}
