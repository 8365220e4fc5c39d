/** The command `passagekit train encoder`. */
import {type Command, Option} from 'commander';
import {type EncoderValidation, type TrainEncoderOptions, trainEncoder} from '../../training/index.ts';
import {count, number, numbersByName} from '../options.ts';
import {print, printJson} from '../output.ts';
import {bestByChoices} from '../../training/encoder/options.ts';
import {trainingData} from './data.ts';
import {type SharedFlags, addDataFlags, addStepFlags, noteResult, splitFlags, withProgress} from './shared.ts';

type TrainEncoderFlags = SharedFlags & Omit<TrainEncoderOptions, 'dev'> & {readonly devHardNegatives?: number};

export function registerTrainEncoder(train: Command, signal: AbortSignal): void {
	const command = train
		.command('encoder')
		.description('train the encoder of a dense retriever, and write it to a folder; an interrupted run resumes from its checkpoint');
	addDataFlags(command, 'encoder')
		.option('--hard-negatives <n>', 'hard negatives per question and step (default: 1)', count(0))
		.option(
			'--dev-hard-negatives <n>',
			'with --questions: hard negatives per question of --dev (default: that of --hard-negatives; DPR: 30)',
			count(0),
		)
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
		.addOption(
			new Option('--pooling <p>', 'how token vectors become one vector (default: as configured, else cls)').choices(['cls', 'mean']),
		)
		.option('--repeat <list>', 'how often the examples of a data set are used per epoch, such as nq=1,trivia=4 (default: 1)', numbersByName)
		.addOption(
			new Option('--best-by <measure>', 'measure of the validation by which the best epoch is chosen (default: averageRank)').choices(
				bestByChoices,
			),
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
		);
	addStepFlags(command, {batchSize: 32, patience: 'a better validation'})
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
	const {devHardNegatives, ...others} = flags;
	const {shared, options} = splitFlags(others);
	const {init, output, json} = shared;
	const {hardNegatives = 1, negatives = 0} = options;
	await using data = await trainingData('train encoder', shared, {
		signal,
		hardNegatives,
		devHardNegatives,
		randomNegatives: negatives,
	});
	const result = await withProgress(shared, describe, async callbacks =>
		trainEncoder(data.examples, init, output, {...options, ...callbacks, dev: data.dev, signal}),
	);
	if (json) {
		printJson({...result, ...data.mining});
		return;
	}
	const {folder, passageFolder, bestEpoch, examples: used, steps} = result;
	const places = folder === passageFolder ? folder : `${folder} and ${passageFolder}`;
	print(`${used} examples, ${steps} steps; the encoder of epoch ${bestEpoch} is in ${places}`);
	noteResult(result, {
		unused: 'examples without a positive',
		advice: 'more examples, other negatives or another learning rate',
		truncated: ['questions and passages', '--max-tokens'],
	});
}

function describe({averageRank, topK, questions, passages}: EncoderValidation): string {
	const top = [1, 5, 20].map(k => `top-${k} ${topK[k as 1 | 5 | 20].toFixed(3)}`).join(', ');
	return `average rank ${averageRank.toFixed(2)} of ${passages} passages, ${top} (${questions} questions)`;
}
