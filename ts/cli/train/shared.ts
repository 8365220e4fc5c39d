/** What the commands `passagekit train` share. */
import {type Command, Option} from 'commander';
import {type QuestionFormat, questionFormats} from '../../corpus/readers.ts';
import type {TrainedEncoder, TrainedReader, TrainingEpoch, TrainingOptions} from '../../training/index.ts';
import {allowTimeToSave} from '../interruption.ts';
import {count, number} from '../options.ts';
import {note} from '../output.ts';
import {ProgressBar} from '../progress.ts';

/** The flags that `passagekit train encoder` and `passagekit train reader` have. */
export interface SharedFlags {
	readonly init: string;
	readonly output: string;
	readonly data?: readonly string[];
	readonly passages?: string;
	readonly questions?: string;
	readonly questionFormat?: QuestionFormat;
	readonly goldField?: string;
	readonly dev?: string;
	readonly json?: boolean;
}

/** Adds the flags for the model, the output and the data. */
export function addDataFlags(command: Command, model: string): Command {
	return command
		.requiredOption('--init <model>', 'model to start from: a folder, a name such as minilm-encoder, or owner/name on the Hugging Face hub')
		.requiredOption('-o, --output <folder>', `folder for the trained ${model}`)
		.option(
			'-d, --data <files...>',
			'training examples, as `passagekit mine` writes them (DPR training JSON); instead of --passages and --questions',
		)
		.option('-p, --passages <corpus>', 'a corpus file or folder, or a collection, from which examples are mined, as by `passagekit mine`')
		.option('-q, --questions <file>', 'questions with answers, contexts, or gold passages (--gold-field)')
		.addOption(new Option('--question-format <format>', 'format of the files of questions (default: auto)').choices(questionFormats))
		.option('--gold-field <name>', 'property of JSON questions with the id of the gold passage, or a list of ids')
		.option('--dev <file>', 'examples (with --data) or questions (with --questions) to validate with; the best epoch is kept');
}

/** Adds the flags for the steps and their memory. `patience` says what an epoch must improve. */
export function addStepFlags(command: Command, {batchSize, patience}: {readonly batchSize: number; readonly patience: string}): Command {
	return command
		.option('--epochs <n>', 'number of passes over the examples; 0 writes the model before training (default: 3)', count(0))
		.option('--patience <n>', `number of epochs without ${patience} after which training stops`, count(1))
		.option('--batch-size <n>', `number of questions per step (default: ${batchSize})`, count(1))
		.option('--learning-rate <x>', 'highest learning rate (default: 2e-5)', number)
		.option('--warm-up <x>', 'share of the steps in which the learning rate grows (default: 0.1)', number)
		.option('--weight-decay <x>', 'weight decay of AdamW (default: 0.01)', number)
		.option('--dropout <x>', 'dropout probability (default: 0.1)', number)
		.option('--max-gradient-norm <x>', 'clip gradients to this norm; 0 turns clipping off (default: 1)', number)
		.option('--bf16', 'compute the products of linear layers in bfloat16: faster, needs a CPU with AVX-512 BF16')
		.addOption(new Option('--precision <p>', 'weights in the ONNX file (default: int8)').choices(['float32', 'int8', 'int8-reduced']))
		.option('--activation-memory <mib>', 'maximum memory for activations, in MiB (default: 2048)', count(1))
		.option('--checkpoint-steps <n>', 'steps between checkpoints (default: 100)', count(1))
		.option('--no-resume', 'start over even if the folder has a checkpoint or a result')
		.option('--seed <n>', 'seed of all random choices (default: 42)', count(0))
		.option('--threads <n>', 'number of threads (default: one per core)', count(1))
		.option('--json', 'print one JSON object');
}

/** Splits flags into those that both commands have and the options of the training. */
export function splitFlags<F extends SharedFlags>(flags: F): {readonly shared: SharedFlags; readonly options: Omit<F, keyof SharedFlags>} {
	const {init, output, data, passages, questions, questionFormat, goldField, dev, json, ...options} = flags;
	const shared = {init, output, data, passages, questions, questionFormat, goldField, dev, json};
	return {shared: shared as SharedFlags, options};
}

/** Trains with a progress bar, and prints a line for each epoch unless the output is JSON. */
export async function withProgress<V, R>(
	{json}: Pick<SharedFlags, 'json'>,
	describe: (validation: V) => string,
	train: (callbacks: Required<Pick<TrainingOptions<V>, 'onProgress' | 'onEpoch'>>) => Promise<R>,
): Promise<R> {
	// An aborted run writes a checkpoint, which may have hundreds of megabytes.
	allowTimeToSave();
	const bar = new ProgressBar('train', 'steps');
	try {
		return await train({
			onProgress(progress) {
				const {questionsPerSecond, secondsLeft, loss} = progress;
				const speed = {rate: `${questionsPerSecond.toFixed(1)} questions/s`, secondsLeft};
				bar.update(progress, `loss ${loss.toFixed(3)}`, speed);
			},
			onEpoch(epoch) {
				if (!json) {
					note(epochLine(epoch, describe));
				}
			},
		});
	} finally {
		bar.end();
	}
}

/** What differs between the notes of the commands. */
interface Wording {
	/** The examples that were not used. */
	readonly unused: string;
	/** What to try if training improved nothing. */
	readonly advice: string;
	/** The texts that can be truncated, and the flag that sets their maximum number of tokens. */
	readonly truncated: readonly [texts: string, flag: string];
}

/** The smallest share of truncated texts that is noted. */
const MIN_TRUNCATED_SHARE = 0.01;

/** Notes what the user should know about a result. */
export function noteResult(
	{
		bestEpoch,
		epochs,
		skipped,
	}: Pick<TrainedEncoder | TrainedReader, 'bestEpoch' | 'skipped'> & {
		readonly epochs: ReadonlyArray<Pick<TrainingEpoch<unknown>, 'truncated'>>;
	},
	{unused, advice, truncated: [texts, flag]}: Wording,
): void {
	if (skipped > 0) {
		note(`${skipped} ${unused} were not used`);
	}
	if (bestEpoch === 0 && epochs.length > 1) {
		note(`no epoch was better than the model before training: try ${advice}`);
	}
	const {truncated = 0} = epochs.at(-1) ?? {};
	if (truncated >= MIN_TRUNCATED_SHARE) {
		note(`${(100 * truncated).toFixed(0)} % of the ${texts} were truncated (${flag})`);
	}
}

function epochLine<V>({epoch, loss, validation}: TrainingEpoch<V>, describe: (validation: V) => string): string {
	const name = epoch === 0 ? 'before training' : `epoch ${epoch}: loss ${loss!.toFixed(4)}`;
	return validation === undefined ? name : `${name}; ${describe(validation)}`;
}
