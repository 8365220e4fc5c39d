/**
Declares the command line of a study. Two places read the declaration: `ts/cli/commands/study.ts` registers the flags,
and `commandLine` writes the command that a report shows under "How to reproduce".
*/
import {basename} from 'node:path';
import {modelName} from '../storage/inputs.ts';

/** The command line of a study. */
export interface StudyCommand<Options> {
	/** Name of the command: `replicate` for `npx passagekit replicate`. */
	readonly name: string;
	readonly description: string;
	/** Placeholder and help of the flag `--dataset`. */
	readonly dataset: {readonly placeholder: string; readonly help: string};
	/** Help and default of the flag `--output`. */
	readonly output: {readonly help: string; readonly default: string};
	/** All other flags, in the order in which help texts and reports show them. */
	readonly flags: ReadonlyArray<StudyFlag<Options>>;
}

/** A flag, which sets the option of the same name: `--question-encoder` sets `questionEncoder`. */
export interface StudyFlag<Options> {
	readonly option: keyof Options & string;
	/** Name of the value in help texts, such as `<n>`. Flags without a value have none. */
	readonly placeholder?: string;
	readonly help: string;
	readonly type: FlagType;
	readonly default?: string | number | readonly number[];
	/** Help of the flag `--no-…`, which sets the option to `false`. Missing if there is no such flag. */
	readonly negated?: string;
}

/**
The type of a flag's value:

- `text`, `number`;
- `counts`: several counts, such as `20,100`;
- `file`, `model`: paths, of which reports show only the last part;
- `files`: several paths, separated by commas;
- `names`: several names, separated by commas;
- `boolean`: no value; only the flag `--no-…` exists;
- `{min}`: a count of at least `min`;
- `{choices}`: one of these words.
*/
export type FlagType =
	| 'text'
	| 'number'
	| 'counts'
	| 'file'
	| 'files'
	| 'names'
	| 'model'
	| 'boolean'
	| {readonly min: number}
	| {readonly choices: readonly string[]};

/** Returns the name of an option's flag: `question-encoder` for `questionEncoder`. */
export const flagName = (option: string): string => option.replaceAll(/[A-Z]/gu, letter => `-${letter.toLowerCase()}`);

/**
Returns the command that repeats a study. It names the data set, files and models without the folders that contain them.
*/
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
		case 'files': {
			return (value as readonly string[]).map(path => basename(path)).join(',');
		}
		case 'model': {
			return modelName(value as string);
		}
		case 'counts':
		case 'names': {
			return (value as readonly unknown[]).join(',');
		}
		default: {
			return String(value);
		}
	}
}

/** Quotes a word for a POSIX shell, if necessary. */
function quoted(word: string): string {
	return /^[\w./,@:-]+$/u.test(word) ? word : `'${word.replaceAll("'", String.raw`'\''`)}'`;
}
