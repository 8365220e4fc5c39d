/** The file `training.json` in the folder of a training run: its options and epochs. */
import {readFile} from 'node:fs/promises';
import {join} from 'node:path';
import {isObject} from '../../core/checks.ts';
import {isMissing, pathError} from '../../core/file-system.ts';
import {replaceFile} from '../../core/files/replace-file.ts';
import {checkFingerprint} from './checkpoint.ts';
import type {TrainingEpoch} from './result.ts';

/** The name of the file. A folder that has it belongs to a training run. */
export const REPORT_FILE = 'training.json';

/** The epochs of a training run that has finished. */
export interface FinishedTraining<V> {
	readonly bestEpoch: number;
	readonly epochs: ReadonlyArray<TrainingEpoch<V>>;
}

/** The report of a training run. */
export class TrainingReport {
	readonly #folder: string;
	readonly #fingerprint: string;
	readonly #options: unknown;

	constructor(folder: string, fingerprint: string, options: unknown) {
		this.#folder = folder;
		this.#fingerprint = fingerprint;
		this.#options = options;
	}

	/** Returns the epochs of the run in the folder if it has finished. Fails with `ERR_ARGUMENT` if the folder is that of another run. */
	async stored<V>(): Promise<FinishedTraining<V> | undefined> {
		const path = join(this.#folder, REPORT_FILE);
		let text;
		try {
			text = await readFile(path, 'utf8');
		} catch (error) {
			if (isMissing(error)) {
				return undefined;
			}
			throw pathError('read', path, error);
		}
		let report: unknown;
		try {
			report = JSON.parse(text);
		} catch {}
		const {fingerprint, isFinished, bestEpoch, epochs} = (isObject(report) ? report : {}) as Partial<FinishedTraining<V>> & {
			readonly fingerprint?: unknown;
			readonly isFinished?: unknown;
		};
		checkFingerprint(fingerprint, this.#fingerprint, this.#folder);
		return isFinished === true ? {bestEpoch: bestEpoch!, epochs: epochs!} : undefined;
	}

	/** Marks the folder as that of this run. Call this before anything else is written there. */
	async begin(): Promise<void> {
		await this.#write(false, {bestEpoch: 0, epochs: []});
	}

	/** Stores the result of the run. */
	async finish({bestEpoch, epochs}: FinishedTraining<unknown>): Promise<void> {
		await this.#write(true, {bestEpoch, epochs});
	}

	async #write(isFinished: boolean, finished: FinishedTraining<unknown>): Promise<void> {
		const report = {fingerprint: this.#fingerprint, isFinished, options: this.#options, ...finished};
		await replaceFile(join(this.#folder, REPORT_FILE), `${JSON.stringify(report, undefined, '\t')}\n`);
	}
}
