// Tests the command that a report shows under "How to reproduce".
import test from 'ava';
import {type StudyCommand, commandLine} from '../../../ts/studies/engine/command.ts';

interface Options {
	readonly other?: readonly string[];
	readonly counts?: readonly number[];
	readonly names?: readonly string[];
	readonly corpus?: string;
	readonly part?: boolean;
}

const command: StudyCommand<Options> = {
	name: 'study',
	description: 'a study',
	dataset: {placeholder: '<path>', help: 'a data set'},
	output: {help: 'a folder', default: 'out'},
	flags: [
		{option: 'corpus', type: 'file', help: 'a file'},
		{option: 'other', type: 'files', help: 'files'},
		{option: 'counts', type: 'counts', help: 'counts'},
		{option: 'names', type: 'names', help: 'names'},
		{option: 'part', type: 'boolean', help: 'a part', negated: 'without this part'},
	],
};

test('the command names files without their folders, joins lists with commas, and has negated flags last', t => {
	const options: Options = {
		other: ['/home/me/nq', './my data'],
		counts: [20, 100],
		names: ['WQ', 'Curated TREC'],
		corpus: '/home/me/psgs.tsv',
		part: false,
	};
	t.is(
		commandLine(command, '/home/me/squad', options),
		"npx passagekit study --dataset squad --corpus psgs.tsv --other 'nq,my data' --counts 20,100 --names 'WQ,Curated TREC' --no-part",
	);
	t.is(commandLine(command, '/home/me/squad', {part: true}), 'npx passagekit study --dataset squad');
	// An empty list cannot be given on the command line.
	t.is(commandLine(command, '/home/me/squad', {other: []}), 'npx passagekit study --dataset squad');
});
