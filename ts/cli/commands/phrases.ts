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
	return [measuresTable(`among ${candidates.size}`, candidates), '', measuresTable('among all', retrieval)].join('\n');
}

function measuresTable(heading: string, {measures, rows}: ProtocolStudy): string {
	return table(
		[heading, ...measures],
		rows.map(({condition, values}) => [labelOf(condition), ...values.map(value => (100 * value).toFixed(1))]),
	);
}
