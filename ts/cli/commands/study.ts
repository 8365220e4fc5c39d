/**
Registers the commands of the studies (`replicate`, `phrases`, `vocabulary` and `training-study`). The name, flags and
help of a command come from the definition of its study.
*/
import {join, relative} from 'node:path';
import {type Command, Option} from 'commander';
import {type StudyDefinition, runStudy} from '../../studies/engine/definition.ts';
import {type FlagType, type StudyFlag, flagName} from '../../studies/engine/command.ts';
import type {StudyOptions, StudyProgress} from '../../studies/engine/options.ts';
import type {StudyResults} from '../../studies/report/definition.ts';
import {runFiles} from '../../studies/storage/run-folder.ts';
import {count, counts, names, number} from '../options.ts';
import {note, print, printJson} from '../output.ts';
import {ProgressBar} from '../progress.ts';

/** Flags of a command that are no options of its study. */
interface MoreFlags<Options> {
	add(command: Command): void;
	/** Returns the options that the values of all flags set. `isGiven` tells the flags of the command line from defaults. */
	options(values: Readonly<Record<string, unknown>>, isGiven: (flag: string) => boolean): Promise<Partial<Options>>;
}

/** Registers the command of one study. `summary` formats the results that the command prints. */
export function registerStudy<Options extends StudyOptions, Inputs, Results extends StudyResults>(
	program: Command,
	signal: AbortSignal,
	study: StudyDefinition<Options, Inputs, Results>,
	summary: (results: Results) => string,
	more?: MoreFlags<Options>,
): void {
	const {name, description, dataset, output, flags} = study.command;
	const command = program
		.command(name)
		.description(description)
		.requiredOption(`--dataset ${dataset.placeholder}`, dataset.help)
		.option('-o, --output <folder>', output.help, output.default);
	for (const flag of flags) {
		for (const option of optionsOf(flag)) {
			command.addOption(option);
		}
	}
	more?.add(command);
	command
		.option('--json', 'print the study as one JSON object')
		.addHelpText('after', `\nExample:\n  $ passagekit ${name} --dataset ./nq --output ./study`)
		.action(async ({dataset, output, json, ...values}: Record<string, unknown> & {dataset: string; output: string; json?: boolean}) => {
			const options = {...values, ...(await more?.options(values, flag => command.getOptionValueSource(flag) === 'cli'))};
			const results = await withProgress(async onProgress =>
				runStudy(study, dataset, output, {...options, signal, onProgress} as unknown as Options),
			);
			if (json) {
				printJson(results);
				return;
			}
			print(summary(results));
			note(`report written to ${relative('.', join(output, runFiles.html))}, also as ${runFiles.markdown} and ${study.resultsFile}`);
		});
}

/** Returns the Commander options of a flag and of its negation. A flag of type `boolean` has only the negation. */
function optionsOf<Options>(flag: StudyFlag<Options>): readonly Option[] {
	const name = `--${flagName(flag.option)}`;
	const negation = flag.negated === undefined ? [] : [new Option(`--no-${flagName(flag.option)}`, flag.negated)];
	if (flag.type === 'boolean') {
		return negation;
	}
	const option = new Option(`${name} ${flag.placeholder ?? '<value>'}`, flag.help);
	if (typeof flag.type === 'object' && 'choices' in flag.type) {
		option.choices([...flag.type.choices]);
	} else {
		const parse = parserOf(flag.type);
		if (parse) {
			option.argParser(parse);
		}
	}
	if (flag.default !== undefined) {
		option.default(flag.default);
	}
	return [option, ...negation];
}

/** Returns the parser of a flag's values; undefined if the values remain strings. */
function parserOf(type: Exclude<FlagType, {readonly choices: readonly string[]}>): ((text: string) => unknown) | undefined {
	if (typeof type === 'object') {
		return count(type.min);
	}
	return type === 'number' ? number : type === 'counts' ? counts : type === 'files' || type === 'names' ? names : undefined;
}

/** Shows a progress bar for each stage of a study, and removes it at the end. */
async function withProgress<T>(study: (onProgress: (progress: StudyProgress) => void) => Promise<T>): Promise<T> {
	let bar: ProgressBar | undefined;
	let current: string | undefined;
	const update = ({stage, ...progress}: StudyProgress): void => {
		if (stage !== current) {
			bar?.end();
			current = stage;
			bar = new ProgressBar(stage, stage === 'read' ? 'bytes' : '');
		}
		bar?.update(progress);
	};
	return study(update).finally(() => bar?.end());
}
