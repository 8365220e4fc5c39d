/**
Defines what a study is and runs it. A study repeats the experiments of a paper on a data set. Its `StudyDefinition`
declares its options and command line, reads and hashes its inputs, measures in stages that can be resumed, and
describes its report. `runStudy` does what is the same for all studies: it checks the options, creates the folder, and
writes the results and reports.
*/
import {resolve} from 'node:path';
import {checkString} from '../../core/checks.ts';
import {type OptionNames, checkOptions} from '../../core/options.ts';
import type {ReportDefinition, StudyResults} from '../report/definition.ts';
import {studyHtml} from '../report/study-html.ts';
import {studyMarkdown} from '../report/study-markdown.ts';
import {makeFolder, runFiles, toJson, writeAtomically} from '../storage/run-folder.ts';
import {type StudyCommand, commandLine} from './command.ts';
import type {StudyOptions} from './options.ts';
import {StudyRun} from './study-run.ts';

/** What distinguishes one study from another. `runStudy` carries it out. */
export interface StudyDefinition<Options extends StudyOptions, Inputs, Results extends StudyResults> {
	/** Name of the public function, such as `studyPhrases`, for error messages. */
	readonly functionName: string;
	readonly optionNames: OptionNames;
	readonly command: StudyCommand<Options>;
	/** Name of the JSON file with the results. */
	readonly resultsFile: string;
	/** Checks the options, and reads and hashes the inputs. Writes nothing. */
	readInputs(dataset: string, options: Options): Promise<Inputs>;
	/** Carries out all stages and returns the results. Calls `run.start` as soon as the configuration is known. */
	measure(run: StudyRun, inputs: Inputs, options: Options): Promise<Results>;
	readonly report: ReportDefinition<Results>;
}

/** Runs a study, or resumes it, and writes its results and reports into the folder `output`. */
export async function runStudy<Options extends StudyOptions, Inputs, Results extends StudyResults>(
	study: StudyDefinition<Options, Inputs, Results>,
	dataset: string,
	output: string,
	options: Options,
): Promise<Results> {
	checkString('dataset', dataset);
	checkString('output', output);
	checkOptions(study.functionName, options, study.optionNames);
	const inputs = await study.readInputs(dataset, options);
	const run = new StudyRun(output, commandLine(study.command, resolve(dataset), options), options);
	await makeFolder(run.folder);
	const results = await study.measure(run, inputs, options);
	await writeAtomically(run.path(study.resultsFile), toJson(results));
	await writeAtomically(run.path(runFiles.markdown), studyMarkdown(study.report, results));
	await writeAtomically(run.path(runFiles.html), studyHtml(study.report, results));
	return results;
}
