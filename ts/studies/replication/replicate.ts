/** Defines the replication study and the public function `replicate`, which runs it. */
import {basename, resolve} from 'node:path';
import {type StudyDefinition, runStudy} from '../engine/definition.ts';
import {readInputs} from '../engine/inputs.ts';
import {splitDatasetFiles} from '../dataset/files.ts';
import {hashedModel} from '../storage/inputs.ts';
import {replicateCommand} from './command.ts';
import {DEFAULT_READER, type ReplicateOptions, checkedOptions, replicateOptionNames} from './options.ts';
import {type ReplicationInputs, measureReplication} from './protocol/stages.ts';
import {replicationReport} from './report/report.ts';
import type {Study} from './study.ts';

/** The study of Ma et al. (2021). */
export const replicationStudy: StudyDefinition<ReplicateOptions, ReplicationInputs, Study> = {
	functionName: 'replicate',
	optionNames: replicateOptionNames,
	command: replicateCommand,
	resultsFile: 'report.json',
	async readInputs(dataset, options) {
		const {settings, ks} = checkedOptions(options);
		const {name = basename(resolve(dataset)), reader = DEFAULT_READER, signal} = options;
		const files = await splitDatasetFiles(dataset, options);
		const limits = [options.maxDevelopmentQuestions, options.maxTestQuestions];
		return {
			...(await readInputs(files, {...options, limits, answers: 'required'})),
			name,
			reader: reader === false ? null : {model: reader, ...(await hashedModel(reader, signal))},
			settings,
			ks,
		};
	},
	measure: measureReplication,
	report: replicationReport,
};

/**
Repeats the experiments of Ma et al. (2021), "A Replication Study of Dense Passage Retriever", on a data set.

`dataset` is a folder with a corpus, development questions and test questions. The function tunes the weights of the
hybrids and of evidence fusion on development questions. On test questions it measures everything and tests the
differences.

It writes the paper's tables and figure for this data set into the folder `output` (`report.html`, `report.md`,
`report.json`), together with the runs as TREC files and the exact configuration. A study can be stopped at any time: if
the function is called again with the same configuration, it continues where it stopped. On the same machine, the same
configuration produces the same bytes.

@example
```
const {retrieval, reading} = await replicate('./squad-open', './squad-study', {name: 'SQuAD'});
```
*/
export async function replicate(dataset: string, output: string, options: ReplicateOptions = {}): Promise<Study> {
	return runStudy(replicationStudy, dataset, output, options);
}
