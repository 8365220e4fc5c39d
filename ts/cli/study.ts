/** What the commands of studies have in common. */
import type {Command} from 'commander';
import type {Progress} from '../core/types.ts';
import {ProgressBar} from './progress.ts';

/** What is being done, and how far it is. */
interface StudyProgress extends Progress {
	readonly stage: string;
}

/** The options by which the files of a data set are named, as `datasetFiles` takes them. */
export function datasetOptions(command: Command): Command {
	return command
		.requiredOption(
			'--dataset <path>',
			'a folder with a corpus, questions and qrels, told apart by their names; or one SQuAD or PubMedQA file',
		)
		.option('--corpus <path>', 'the corpus, if its name does not tell')
		.option('--queries <file>', 'all questions in one file, of which a third is for development')
		.option('--development <file>', 'development questions, if their name does not tell')
		.option('--test <file>', 'test questions, if their name does not tell')
		.option('--qrels <file>', 'relevant passages; else those that questions were written for, or that have an answer');
}

/** Shows how far each stage of a study is, and takes the bar away at its end. */
export async function watched<T>(study: (onProgress: (progress: StudyProgress) => void) => Promise<T>): Promise<T> {
	let bar: ProgressBar | undefined;
	let current: string | undefined;
	const shown = ({stage, ...progress}: StudyProgress): void => {
		if (stage !== current) {
			bar?.end();
			current = stage;
			bar = new ProgressBar(stage, stage === 'read' ? 'bytes' : '');
		}
		bar?.update(progress);
	};
	return study(shown).finally(() => bar?.end());
}
