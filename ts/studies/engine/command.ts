/**
The command line of a study, declared once: `ts/cli/commands/study.ts` registers its flags, and `commandLine` writes the command that a
report shows under "How to reproduce".
*/
import {basename} from 'node:path';
import {modelName} from '../storage/inputs.ts';

export interface StudyCommand<Options> {
	/** `replicate` for `npx passagekit replicate`. */
	readonly name: string;
	readonly description: string;
	/** Help of `--dataset`. */
	readonly dataset: {readonly placeholder: string; readonly help: string};
	/** Help of `--output`, and its default. */
	readonly output: {readonly help: string; readonly default: string};
	/** In the order of the help text and of the command in reports. */
	readonly flags: ReadonlyArray<StudyFlag<Options>>;
}

/** A flag, named like the option that it sets: `questionEncoder` is `--question-encoder`. */
export interface StudyFlag<Options> {
	readonly option: keyof Options & string;
	/** How help shows the value, such as `<n>`; missing for a flag without a value. */
	readonly placeholder?: string;
	readonly help: string;
	readonly type: FlagType;
	readonly default?: string | number | readonly number[];
	/** Help of a second flag, `--no-…`, which sets the option to `false`. */
	readonly negated?: string;
}

/**
- `text`, `number`, `counts` (`20,100`), a count of at least `min`, one of `choices`;
- `file`, `model`: paths, of which reports show the last part alone;
- `boolean`: has no value, only its negation.
*/
export type FlagType =
	| 'text'
	| 'number'
	| 'counts'
	| 'file'
	| 'model'
	| 'boolean'
	| {readonly min: number}
	| {readonly choices: readonly string[]};

/** `question-encoder` for `questionEncoder`. */
export const flagName = (option: string): string => option.replaceAll(/[A-Z]/gu, letter => `-${letter.toLowerCase()}`);

/** The command that repeats a study, in a folder beside the data set: it names files and folders without their paths. */
export function commandLine<Options>(command: StudyCommand<Options>, dataset: string, options: Options): string {
	const words = [`--dataset ${quoted(basename(dataset))}`];
	const negations: string[] = [];
	for (const flag of command.flags) {
		const value: unknown = options[flag.option];
		if (value === false) {
			negations.push(`--no-${flagName(flag.option)}`);
			continue;
		}
		const text = value === undefined || typeof value === 'boolean' ? '' : textOf(value, flag.type);
		if (text !== '') {
			words.push(`--${flagName(flag.option)} ${quoted(text)}`);
		}
	}
	return [`npx passagekit ${command.name}`, ...words, ...negations].join(' ');
}

function textOf(value: unknown, type: FlagType): string {
	switch (type) {
		case 'file': {
			return basename(value as string);
		}
		case 'model': {
			return modelName(value as string);
		}
		case 'counts': {
			return (value as readonly number[]).join(',');
		}
		default: {
			return String(value);
		}
	}
}

/** A word as a shell reads it. */
function quoted(word: string): string {
	return /^[\w./,@:-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
