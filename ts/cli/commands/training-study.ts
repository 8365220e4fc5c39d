/**
The command `passagekit training-study`, which runs the training study (Karpukhin et al., 2020) and prints, in percent,
how well BM25, the model before training and each trained encoder find passages, also on other data sets.
*/
import type {Command} from 'commander';
import type {TrainingRow, TrainingStudy} from '../../studies/training/index.ts';
import {labelOf} from '../../studies/training/labels.ts';
import {trainingStudyDefinition} from '../../studies/training/study-training.ts';
import {table} from '../table.ts';
import {registerStudy} from './study.ts';

export function registerTrainingStudy(program: Command, signal: AbortSignal): void {
	registerStudy(program, signal, trainingStudyDefinition, summary);
}

function summary({dataset, measures, rows, transfer}: TrainingStudy): string {
	const effectiveness = (heading: string, rows: readonly TrainingRow[]): string =>
		table(
			[heading, ...measures],
			rows.map(({condition, values}) => [labelOf(condition), ...values.map(value => (100 * value).toFixed(1))]),
		);
	return [effectiveness(dataset, rows), ...transfer.map(other => effectiveness(other.dataset, other.rows))].join('\n\n');
}
