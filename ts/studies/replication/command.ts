import {basename} from 'node:path';
import {named, quoted} from '../storage/inputs.ts';
import type {ReplicateOptions} from './options.ts';

/** What is to be typed for the same study, in a folder beside the data set. */
export function commandOf(dataset: string, options: ReplicateOptions): string {
	const {corpus, development, test, collection, encoder, questionEncoder, reader} = options;
	const {
		depth,
		dprDepth,
		ks,
		passagesRead,
		spansPerPassage,
		maxAnswerTokens,
		merge,
		significance,
		maxDevelopmentQuestions,
		maxTestQuestions,
	} = options;
	const file = (path: string | undefined): string | undefined => (path === undefined ? undefined : basename(path));
	const flags: ReadonlyArray<readonly [flag: string, value: string | number | undefined]> = [
		['dataset', dataset],
		['name', options.name],
		['corpus', file(corpus)],
		['development', file(development)],
		['test', file(test)],
		['collection', file(collection)],
		['encoder', encoder === undefined ? undefined : named(encoder)],
		['question-encoder', questionEncoder === undefined ? undefined : named(questionEncoder)],
		['reader', reader === false || reader === undefined ? undefined : named(reader)],
		['depth', depth],
		['dpr-depth', dprDepth],
		['ks', ks?.join(',')],
		['passages-read', passagesRead],
		['spans-per-passage', spansPerPassage],
		['max-answer-tokens', maxAnswerTokens],
		['merge', merge],
		['significance', significance],
		['answer-kind', options.answerKind],
		['max-development-questions', maxDevelopmentQuestions],
		['max-test-questions', maxTestQuestions],
	];
	const words = flags.flatMap(([flag, value]) => (value === undefined ? [] : [`--${flag}`, quoted(String(value))]));
	return ['npx passagekit replicate', ...words, ...(reader === false ? ['--no-reader'] : [])].join(' ');
}
