/**
The command `passagekit phrases`, which runs the phrase study (Yang et al., 2023) and prints its effectiveness in
percent.
*/
import type {Command} from 'commander';
import type {PhraseStudy, ProtocolStudy} from '../../studies/phrases/index.ts';
import {labelOf} from '../../studies/phrases/labels.ts';
import {phraseStudyDefinition} from '../../studies/phrases/study-phrases.ts';
import {table} from '../table.ts';
import {registerStudy} from './study.ts';

export function registerPhrases(program: Command, signal: AbortSignal): void {
	registerStudy(program, signal, phraseStudyDefinition, summary);
}

function summary({candidates, retrieval}: PhraseStudy): string {
	return [
		effectivenessTable(`among ${candidates.size} candidates`, candidates),
		'',
		effectivenessTable('among all passages', retrieval),
	].join('\n');
}

/**
Formats a table with a row for each condition and a column for each measure. Conditions are BM25, the models (M1 is an
index of single sentences as phrases, M3 of three sentences, …) and fusions of the models.
*/
function effectivenessTable(heading: string, {measures, rows}: ProtocolStudy): string {
	return table(
		[heading, ...measures],
		rows.map(({condition, values}) => [labelOf(condition), ...values.map(value => (100 * value).toFixed(1))]),
	);
}
