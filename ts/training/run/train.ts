/** Carries out a training run, from the check of its output folder to its result. */
import {readdir, rm, stat} from 'node:fs/promises';
import {join} from 'node:path';
import {onPath} from '../../core/file-system.ts';
import {whileLocked} from '../../models/lock.ts';
import type {TrainingExample} from '../data/index.ts';
import {CHECKPOINT_FILE, trainingFingerprint} from './checkpoint.ts';
import {LOCK_FILE} from './output-folder.ts';
import {type FinishedTraining, TrainingReport} from './report.ts';
import type {TrainableModel} from './trainable-model.ts';
import {type RunOptions, TrainingRun} from './training-run.ts';

/** What a training run depends on. */
export interface TrainingInputs<V> {
	readonly options: RunOptions<V>;
	/** The output folder. */
	readonly folder: string;
	/** The folders that models are written to. */
	readonly written: readonly string[];
	/** Everything besides the examples that the result depends on. */
	readonly identity: object;
	/** The examples to train on and those to validate with. */
	readonly examples: ReadonlyArray<readonly TrainingExample[]>;
}

/**
Runs a training run, or resumes it. If it has finished already and its models are there, returns its result, and does not call `open`. If another
call or process is training in the same folder, waits until that has ended, unless it is another training run, which is an error.
*/
export async function train<V>(inputs: TrainingInputs<V>, open: () => Promise<TrainableModel<V>>): Promise<FinishedTraining<V>> {
	const {folder, options, identity, examples} = inputs;
	const fingerprint = await trainingFingerprint(identity, ...examples);
	const report = new TrainingReport(folder, fingerprint, identity);
	const stored = options.resume ? await finished<V>(report, inputs) : undefined;
	return (
		stored ??
		whileLocked(join(folder, LOCK_FILE), options.signal, async checkHeld => trainLocked(inputs, {fingerprint, report, checkHeld}, open))
	);
}

async function trainLocked<V>(
	inputs: TrainingInputs<V>,
	{
		fingerprint,
		report,
		checkHeld,
	}: {readonly fingerprint: string; readonly report: TrainingReport; readonly checkHeld: () => Promise<void>},
	open: () => Promise<TrainableModel<V>>,
): Promise<FinishedTraining<V>> {
	const {options, folder} = inputs;
	if (!options.resume) {
		await removeCheckpoints(folder);
	}
	// Another process may have finished it meanwhile.
	const stored = options.resume ? await finished<V>(report, inputs) : undefined;
	if (stored !== undefined) {
		return stored;
	}
	const model = await open();
	try {
		await report.begin();
		const result = await new TrainingRun(model, options, {folder, fingerprint, checkHeld}).run();
		await checkHeld();
		await report.finish(result);
		await removeCheckpoints(folder);
		return result;
	} finally {
		model.close();
	}
}

/** Returns the result of the run if it has finished and its models are there. Fails if the folder is that of another run. */
async function finished<V>(report: TrainingReport, {written}: TrainingInputs<V>): Promise<FinishedTraining<V> | undefined> {
	const stored = await report.stored<V>();
	return stored !== undefined && (await haveModels(written)) ? stored : undefined;
}

/** Removes the checkpoint, and checkpoints of further models, whose names start with that of the checkpoint. */
async function removeCheckpoints(folder: string): Promise<void> {
	const names = await onPath('list', folder, async () => readdir(folder));
	const checkpoints = names.filter(name => name === CHECKPOINT_FILE || name.startsWith(`${CHECKPOINT_FILE}-`));
	await Promise.all(checkpoints.map(async name => onPath('remove', join(folder, name), async () => rm(join(folder, name), {force: true}))));
}

/** Whether all folders have a model with its tokenizer. */
async function haveModels(folders: readonly string[]): Promise<boolean> {
	const files = folders.flatMap(folder => ['model.onnx', 'tokenizer.json'].map(name => join(folder, name)));
	const exist = await Promise.all(
		files.map(async file =>
			stat(file).then(
				status => status.isFile(),
				() => false,
			),
		),
	);
	return exist.every(Boolean);
}
