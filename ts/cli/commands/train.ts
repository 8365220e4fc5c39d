/** The commands `passagekit train`, which train models. */
import type {Command} from 'commander';
import {registerTrainEncoder} from '../train/encoder.ts';
import {registerTrainQuestionEncoder} from '../train/question-encoder.ts';
import {registerTrainReader} from '../train/reader.ts';

export function registerTrain(program: Command, signal: AbortSignal): void {
	const train = program
		.command('train')
		.description('train an encoder or a reader on questions and passages')
		.addHelpText(
			'after',
			`
\`passagekit train encoder --help\`, \`passagekit train reader --help\` and \`passagekit train question-encoder --help\` list all options, such as --json.

Examples:
  $ passagekit train encoder --passages psgs.tsv --questions train.jsonl --dev dev.jsonl --init minilm-encoder -o my-encoder
  $ passagekit train reader --passages psgs.tsv --questions train.jsonl --dev dev.jsonl --init minilm-encoder -o my-reader
  $ passagekit train question-encoder -c my-index -q train.jsonl --dev dev.jsonl --init minilm-encoder -o my-question-encoder`,
		);
	registerTrainEncoder(train, signal);
	registerTrainReader(train, signal);
	registerTrainQuestionEncoder(train, signal);
}
