import {basename} from 'node:path';
import {named, quoted} from '../storage/inputs.ts';
import type {VocabularyStudyOptions} from './inputs.ts';

/** What is to be typed for the same study, in a folder beside the data set. */
export function commandOf(dataset: string, options: VocabularyStudyOptions): string {
	const file = (path: string | undefined): string | undefined => (path === undefined ? undefined : basename(path));
	const model = (name: string | undefined): string | undefined => (name === undefined ? undefined : named(name));
	const flags: ReadonlyArray<readonly [flag: string, value: string | number | undefined]> = [
		['dataset', dataset],
		['name', options.name],
		['corpus', file(options.corpus)],
		['queries', file(options.queries)],
		['development', file(options.development)],
		['test', file(options.test)],
		['qrels', file(options.qrels)],
		['encoder', model(options.encoder)],
		['question-encoder', model(options.questionEncoder)],
		['head', model(options.head)],
		['baseline', model(options.baseline)],
		['max-questions', options.maxQuestions],
		['learning-rate', options.learningRate],
		['max-steps', options.maxSteps],
		['seed', options.seed],
		['significance', options.significance],
	];
	const words = flags.flatMap(([flag, value]) => (value === undefined || value === '' ? [] : [`--${flag}`, quoted(String(value))]));
	return ['npx passagekit vocabulary', ...words, ...(options.enrichment === false ? ['--no-enrichment'] : [])].join(' ');
}
