/** The commands `passagekit train`, which train models. */
import {type Command, Option} from 'commander';
import {
	type TrainEncoderOptions,
	type TrainingEpoch,
	mineTrainingExamples,
	readTrainingExamples,
	trainEncoder,
} from '../../training/index.ts';
import type {TrainingExample} from '../../training/index.ts';
import {readQuestions} from '../../corpus/index.ts';
import {UsageError} from '../errors.ts';
import {count, number} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {ProgressBar} from '../progress.ts';

interface TrainEncoderFlags extends Omit<TrainEncoderOptions, 'dev'> {
	readonly init: string;
	readonly output: string;
	readonly data?: string;
	readonly passages?: string;
	readonly questions?: string;
	readonly dev?: string;
	readonly json?: boolean;
}

export function registerTrain(program: Command, signal: AbortSignal): void {
	const train = program
		.command('train')
		.description('train an encoder on questions and passages')
		.addHelpText(
			'after',
			`
\`passagekit train encoder --help\` lists all options, such as --json.

Example:
  $ passagekit train encoder --passages psgs.tsv --questions train.jsonl --dev dev.jsonl --init minilm-encoder -o my-encoder`,
		);
	train
		.command('encoder')
		.description('train the encoder of a dense retriever, and write it to a folder; an interrupted run resumes from its checkpoint')
		.requiredOption('--init <model>', 'model to start from: a folder, a name such as minilm-encoder, or owner/name on the Hugging Face hub')
		.requiredOption('-o, --output <folder>', 'folder for the trained encoder')
		.option(
			'-d, --data <file>',
			'training examples, as `passagekit mine` writes them (DPR training JSON); instead of --passages and --questions',
		)
		.option('-p, --passages <corpus>', 'a corpus from which examples are mined, as for `passagekit mine`')
		.option('-q, --questions <file>', 'questions with answers, contexts or gold passages, as for `passagekit mine`')
		.option('--dev <file>', 'examples (with --data) or questions (with --questions) to validate with; the best epoch is kept')
		.option('--epochs <n>', 'number of passes over the examples (default: 3)', count(1))
		.option('--patience <n>', 'number of epochs without a better average rank after which training stops', count(1))
		.option('--batch-size <n>', 'number of questions per step (default: 32)', count(1))
		.option('--hard-negatives <n>', 'hard negatives per question and step (default: 1)', count(0))
		.option('--negatives <n>', 'other negatives per question and step (default: 0)', count(0))
		.option('--no-in-batch', 'compare a question only with its own passages, not with those of the other questions in the batch')
		.addOption(new Option('--loss <loss>', 'negative log likelihood, or triplet loss (default: nll)').choices(['nll', 'triplet']))
		.option('--margin <x>', 'margin of the triplet loss (default: 1)', number)
		.addOption(
			new Option('--similarity <s>', 'how vectors are compared (default: cosine if the model normalizes vectors, else dot)').choices([
				'dot',
				'cosine',
				'l2',
			]),
		)
		.option('--temperature <x>', 'divisor of similarities in the loss (default: 0.05 for cosine, else 1)', number)
		.option('--separate-passage-encoder', 'train one model for questions and one for passages, as in DPR')
		.option('--learning-rate <x>', 'highest learning rate (default: 2e-5)', number)
		.option('--warm-up <x>', 'share of the steps in which the learning rate grows (default: 0.1)', number)
		.option('--weight-decay <x>', 'weight decay of AdamW (default: 0.01)', number)
		.option('--dropout <x>', 'dropout probability (default: 0.1)', number)
		.option('--max-gradient-norm <x>', 'clip gradients to this norm; 0 turns clipping off (default: 1)', number)
		.addOption(
			new Option('--pooling <p>', 'how token vectors become one vector (default: as configured, else cls)').choices(['cls', 'mean']),
		)
		.option('--max-tokens <n>', 'maximum number of tokens per input (default: as configured, else 256)', count(8))
		.addOption(
			new Option('--passage-form <f>', 'title and text as two segments (pair) or as one text (joined) (default: as configured)').choices([
				'pair',
				'joined',
			]),
		)
		.addOption(
			new Option('--token-types <t>', 'token types of a passage with a title (default: as configured)').choices(['segments', 'zeros']),
		)
		.addOption(new Option('--precision <p>', 'weights in the ONNX file (default: int8)').choices(['float32', 'int8', 'int8-reduced']))
		.option('--activation-memory <mib>', 'maximum memory for activations, in MiB (default: 2048)', count(1))
		.option('--checkpoint-steps <n>', 'steps between checkpoints (default: 100)', count(1))
		.option('--no-resume', 'start anew even if the folder has a checkpoint or a result')
		.option('--seed <n>', 'seed of all random choices (default: 42)', count(0))
		.option('--threads <n>', 'number of threads (default: one per core)', count(1))
		.option('--json', 'print one JSON object')
		.addHelpText(
			'after',
			`
Examples:
  $ passagekit train encoder --passages psgs.tsv --questions train.jsonl --dev dev.jsonl --init minilm-encoder -o my-encoder
  $ passagekit train encoder --data train.dpr.json --dev dev.dpr.json --init minilm-encoder --epochs 5 -o my-encoder
  $ passagekit index corpus.tsv -o my-index --encoder my-encoder`,
		)
		.action(async (flags: TrainEncoderFlags) => encoder(flags, signal));
}

async function encoder(flags: TrainEncoderFlags, signal: AbortSignal): Promise<void> {
	const {init, output, data, passages, questions, dev, json, ...options} = flags;
	if ((data === undefined) === (passages === undefined && questions === undefined)) {
		throw new UsageError('train encoder: expected --data, or --passages and --questions');
	}
	if (data === undefined && (passages === undefined || questions === undefined)) {
		throw new UsageError(`train encoder: expected --passages and --questions, got only one of them`);
	}
	const examples = (file: string): AsyncIterable<TrainingExample> =>
		data === undefined ? mined(file, passages!, signal) : readTrainingExamples(file, {signal});
	const bar = new ProgressBar('train', 'steps');
	let result;
	try {
		result = await trainEncoder(examples(data ?? questions!), init, output, {
			...options,
			dev: dev === undefined ? undefined : examples(dev),
			signal,
			onProgress(progress) {
				bar.update(progress);
			},
			onEpoch(epoch) {
				if (!json) {
					note(epochLine(epoch));
				}
			},
		});
	} finally {
		bar.end();
	}
	if (json) {
		printJson(result);
		return;
	}
	const {folder, passageFolder, bestEpoch, examples: used, skipped, steps} = result;
	if (skipped > 0) {
		note(`${skipped} examples without a positive were not used`);
	}
	const places = folder === passageFolder ? folder : `${folder} and ${passageFolder}`;
	print(`${used} examples, ${steps} steps; the encoder of epoch ${bestEpoch} is in ${places}`);
	if (bestEpoch === 0) {
		note('no epoch was better than the model before training: try more examples, other negatives or another learning rate');
	}
}

/** Mines examples with default options. */
async function* mined(questions: string, passages: string, signal: AbortSignal): AsyncGenerator<TrainingExample, void, undefined> {
	yield* mineTrainingExamples(readQuestions(questions, {signal}), passages, {signal});
}

function epochLine({epoch, loss, validation}: TrainingEpoch): string {
	const name = epoch === 0 ? 'before training' : `epoch ${epoch}: loss ${loss!.toFixed(4)}`;
	if (validation === undefined) {
		return name;
	}
	const {averageRank, topK, questions, passages} = validation;
	const top = [1, 5, 20].map(k => `top-${k} ${topK[k as 1 | 5 | 20].toFixed(3)}`).join(', ');
	return `${name}; average rank ${averageRank.toFixed(2)} of ${passages} passages, ${top} (${questions} questions)`;
}
