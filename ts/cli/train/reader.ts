/** The command `passagekit train reader`. */
import type {Command} from 'commander';
import {type ReaderValidation, type TrainReaderOptions, trainReader} from '../../training/index.ts';
import {count} from '../options.ts';
import {print, printJson} from '../output.ts';
import {trainingData} from './data.ts';
import {type SharedFlags, addDataFlags, addStepFlags, noteResult, splitFlags, withProgress} from './shared.ts';

type TrainReaderFlags = SharedFlags & Omit<TrainReaderOptions, 'dev'>;

/** The default of `passagesPerQuestion`. */
const DEFAULT_PASSAGES = 24;

export function registerTrainReader(train: Command, signal: AbortSignal): void {
	const command = train
		.command('reader')
		.description('train an extractive reader, and write it to a folder; an interrupted run resumes from its checkpoint');
	addDataFlags(command, 'reader')
		.option(
			'--passages-per-question <n>',
			`passages per question and step: a positive and negatives (default: ${DEFAULT_PASSAGES})`,
			count(2),
		)
		.option('--max-tokens <n>', 'maximum number of tokens per input (default: as configured, else 256)', count(8))
		.option('--max-question-tokens <n>', 'maximum number of tokens of the question (default: as configured, else 40)', count(1))
		.option('--max-answer-tokens <n>', 'maximum number of tokens per answer in validations (default: 10)', count(1));
	addStepFlags(command, {batchSize: 16, patience: 'more exact matches'})
		.addHelpText(
			'after',
			`
With --passages and --questions, the best BM25 hits without an answer are the negatives of a question. With --data, use a file that has
enough negatives, as \`passagekit mine --negatives ${2 * (DEFAULT_PASSAGES - 1)}\` writes it.

Examples:
  $ passagekit train reader --passages psgs.tsv --questions train.jsonl --dev dev.jsonl --init minilm-encoder -o my-reader
  $ passagekit train reader --data train.dpr.json --dev dev.dpr.json --init minilm-encoder --passages-per-question 8 -o my-reader
  $ passagekit ask "Who painted the sea?" -c my-index --reader my-reader`,
		)
		.action(async (flags: TrainReaderFlags) => reader(flags, signal));
}

async function reader(flags: TrainReaderFlags, signal: AbortSignal): Promise<void> {
	const {shared, options} = splitFlags(flags);
	const {init, output, json} = shared;
	const {passagesPerQuestion = DEFAULT_PASSAGES} = options;
	// More negatives than a step needs, so that each step draws others, as in DPR (Karpukhin et al., 2020, §6.1).
	const hardNegatives = 2 * (passagesPerQuestion - 1);
	await using data = await trainingData('train reader', shared, {signal, hardNegatives, maxRank: Math.max(100, 2 * hardNegatives)});
	const result = await withProgress(shared, describe, async callbacks =>
		trainReader(data.examples, init, output, {...options, ...callbacks, dev: data.dev, signal}),
	);
	if (json) {
		printJson({...result, ...data.mining});
		return;
	}
	const {folder, bestEpoch, examples: used, steps} = result;
	print(`${used} examples, ${steps} steps; the reader of epoch ${bestEpoch} is in ${folder}`);
	noteResult(result, {
		unused: 'examples without a positive that contains an answer',
		advice: 'more examples, other negatives or another learning rate',
		truncated: ['questions', '--max-question-tokens'],
	});
}

function describe({exactMatch, f1, questions, passages}: ReaderValidation): string {
	return `exact match ${exactMatch.toFixed(3)}, F1 ${f1.toFixed(3)} (${questions} questions, ${passages} passages)`;
}
