/** The command `passagekit train question-encoder`. */
import {type Command, Option} from 'commander';
import {Collection} from '../../collection/index.ts';
import {type QuestionFormat, questionFormats, readQuestions} from '../../corpus/readers.ts';
import {type QuestionEncoderValidation, type TrainQuestionEncoderOptions, trainQuestionEncoder} from '../../training/index.ts';
import {count, number} from '../options.ts';
import {print, printJson} from '../output.ts';
import {ProgressBar} from '../progress.ts';
import {addStepFlags, noteResult, withProgress} from './shared.ts';

interface TrainQuestionEncoderFlags extends Omit<TrainQuestionEncoderOptions, 'dev'> {
	readonly collection: string;
	readonly questions: string;
	readonly questionFormat?: QuestionFormat;
	readonly goldField?: string;
	readonly dev?: string;
	readonly init: string;
	readonly output: string;
	readonly json?: boolean;
}

export function registerTrainQuestionEncoder(train: Command, signal: AbortSignal): void {
	const command = train
		.command('question-encoder')
		.description(
			'train the question encoder for a collection, whose vectors stay as they are, alone or jointly with a reader; an interrupted run resumes from its checkpoint',
		)
		.requiredOption('-c, --collection <folder>', 'a collection that `passagekit index` has built')
		.requiredOption('-q, --questions <file>', 'questions with answers, or with gold passages (--gold-field)')
		.requiredOption('--init <model>', "model to start from; usually the collection's encoder")
		.requiredOption('-o, --output <folder>', 'folder for the trained encoder; with --reader, for both models')
		.option('--dev <file>', 'questions to validate with; the best epoch is kept')
		.addOption(new Option('--question-format <format>', 'format of the files of questions (default: auto)').choices(questionFormats))
		.option('--gold-field <name>', 'property of JSON questions with the id of the gold passage, or a list of ids')
		.option('--reader <model>', 'model to train as a reader jointly, on the retrieved passages')
		.option('--depth <n>', 'passages that are retrieved per question (default: 100)', count(1))
		.addOption(
			new Option('--pooling <p>', 'how token vectors become one vector (default: as configured, else cls)').choices(['cls', 'mean']),
		)
		.option('--normalize', 'scale vectors to unit length (default: as configured)')
		.option('--max-tokens <n>', 'maximum number of tokens per question (default: as configured, else 256)', count(8))
		.option('--temperature <x>', 'divisor of similarities in the loss (default: 0.05 for vectors of unit length, else 1)', number)
		.addOption(new Option('--answer-kind <kind>', 'how answers are matched (default: text)').choices(['text', 'pattern']))
		.option('--passages-per-question <n>', 'passages per question and step for the reader (default: 24)', count(2))
		.option('--reader-learning-rate <x>', 'highest learning rate of the reader (default: 2e-5)', number);
	addStepFlags(command, {batchSize: 16, patience: 'a better validation'})
		.addHelpText(
			'after',
			`
Examples:
  $ passagekit train question-encoder -c my-index -q train.jsonl --dev dev.jsonl --init minilm-encoder -o my-question-encoder
  $ passagekit search "Who painted the sea?" -c my-index --retriever dense --question-encoder my-question-encoder
  $ passagekit train question-encoder -c my-index -q train.jsonl --init minilm-encoder --reader minilm-reader -o my-models`,
		)
		.action(async (flags: TrainQuestionEncoderFlags) => questionEncoder(flags, signal));
}

async function questionEncoder(flags: TrainQuestionEncoderFlags, signal: AbortSignal): Promise<void> {
	const {collection: path, questions, questionFormat: format, goldField, dev, init, output, json, ...options} = flags;
	await using collection = await Collection.open(path);
	const corpus = {index: await collection.flat(), passages: collection.passages};
	const read = (file: string): ReturnType<typeof readQuestions> => readQuestions(file, {signal, format, goldField});
	const preparation = new ProgressBar('prepare', 'questions');
	const result = await withProgress(flags, describe, async callbacks =>
		trainQuestionEncoder(read(questions), corpus, init, output, {
			...options,
			...callbacks,
			onPreparation(progress) {
				preparation.update(progress);
			},
			onProgress(progress) {
				preparation.end();
				callbacks.onProgress!(progress);
			},
			dev: dev === undefined ? undefined : read(dev),
			signal,
		}),
	).finally(() => preparation.end());
	if (json) {
		printJson(result);
		return;
	}
	const {folder, readerFolder, bestEpoch, questions: used, steps} = result;
	const places =
		readerFolder === undefined
			? `the encoder of epoch ${bestEpoch} is in ${folder}`
			: `the models of epoch ${bestEpoch} are in ${folder} and ${readerFolder}`;
	print(`${used} questions, ${steps} steps; ${places}`);
	noteResult(result, {
		unused: 'questions without a positive passage',
		advice: 'more questions or another learning rate',
		truncated: ['questions', readerFolder === undefined ? '--max-tokens' : '--max-tokens; the reader has a limit of its own'],
	});
}

function describe({meanReciprocalRank, topK, questions, exactMatch, f1}: QuestionEncoderValidation): string {
	const top = ([1, 5, 20, 100] as const).map(k => `top-${k} ${topK[k].toFixed(3)}`).join(', ');
	const answers = exactMatch === undefined ? '' : `, exact match ${exactMatch.toFixed(3)}, F1 ${f1!.toFixed(3)}`;
	return `MRR@100 ${meanReciprocalRank.toFixed(3)}, ${top}${answers} (${questions} questions)`;
}
