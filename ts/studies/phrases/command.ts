import {basename} from 'node:path';
import {named, quoted} from '../storage/inputs.ts';
import type {PhraseStudyOptions} from './study-phrases.ts';

/** What is to be typed for the same study, in a folder beside the data set. */
export function commandOf(dataset: string, options: PhraseStudyOptions): string {
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
		['sentences', options.sentences?.join(',')],
		['tokens', options.tokens?.join(',')],
		['encoder', model(options.encoder)],
		['question-encoder', model(options.questionEncoder)],
		['max-questions', options.maxQuestions],
		['seed', options.seed],
		['negatives', options.negatives],
		['random', options.random],
		['significance', options.significance],
		['confidence-of', options.confidenceOf],
	];
	const words = flags.flatMap(([flag, value]) => (value === undefined || value === '' ? [] : [`--${flag}`, quoted(String(value))]));
	return ['npx passagekit phrases', ...words].join(' ');
}
