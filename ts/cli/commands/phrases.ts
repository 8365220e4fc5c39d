/**
The command `passagekit phrases`, which runs the phrase study (Yang et al., 2023) and prints, in percent, how well BM25,
the phrase models and their fusions rank a few candidates per question and all passages.
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
Formats a table with a row for each condition and a column for each measure. The conditions are BM25, the models (M1 has
an index whose phrases are single sentences, M3 one whose phrases are three sentences, …) and fusions of the models.
*/
function effectivenessTable(heading: string, {measures, rows}: ProtocolStudy): string {
	return table(
		[heading, ...measures],
		rows.map(({condition, values}) => [labelOf(condition), ...values.map(value => (100 * value).toFixed(1))]),
	);
}
