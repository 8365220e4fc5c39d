// Runs the study that replicates Ma et al. (2021) on SQuAD-open, that is, on SQuAD's questions with all of its passages as the corpus.
// SQuAD is one of the shared data sets (../shared; see benches/README.md). The questions are about ten articles that the reader was not
// trained on: three for development, seven for testing.
import {copyFile, mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {sharedFile} from '../../test/support/shared.ts';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {type StudyProgress, findings, replicate} from '../../ts/studies/index.ts';
import type {Benchmark} from '../support/benchmark.ts';

/**
The reader reads this many passages per question and retriever, for this many development and test questions. That takes about 15 minutes
on two cores.
*/
const [PASSAGES_READ, DEVELOPMENT_QUESTIONS, TEST_QUESTIONS] = [15, 200, 500];

export const replication: Benchmark = async say => {
	const squad = sharedFile('data', 'squad');
	if (!squad) {
		throw new Error('the replication benchmark needs the shared data sets');
	}
	const folder = join(packageRoot, 'benches', '.cache', 'replication');
	const data = join(folder, 'squad-open');
	await mkdir(data, {recursive: true});
	// `replicate` finds the files of a data set by these names.
	await copyFile(join(squad, 'psgs_w100.squad-dev.tsv.gz'), join(data, 'psgs_w100.tsv.gz'));
	// `test` has the titles of the articles that the reader was not trained on.
	const {test: articles} = JSON.parse(await readFile(join(squad, 'split.json'), 'utf8')) as {test: string[]};
	const development = new Set(articles.toSorted().slice(0, 3));
	const lines = gunzipSync(await readFile(join(squad, 'squad-dev.qas.jsonl.gz')))
		.toString('utf8')
		.trim()
		.split('\n');
	const titleOf = (line: string): string => (JSON.parse(line) as {title: string}).title;
	const write = async (name: string, isSelected: (title: string) => boolean): Promise<void> =>
		writeFile(join(data, name), `${lines.filter(line => isSelected(titleOf(line))).join('\n')}\n`);
	await write('questions.dev.jsonl', title => development.has(title));
	await write('questions.test.jsonl', title => articles.includes(title) && !development.has(title));
	let stage = '';
	const onProgress = (progress: StudyProgress): void => {
		if (progress.stage !== stage) {
			say(progress.stage);
			stage = progress.stage;
		}
	};
	// Retrieval is evaluated on all questions about the ten articles, the reader on a sample of these questions.
	const retrieval = await replicate(data, join(folder, 'retrieval'), {name: 'SQuAD', reader: false, onProgress});
	const reading = await replicate(data, join(folder, 'reading'), {
		name: 'SQuAD',
		passagesRead: PASSAGES_READ,
		maxDevelopmentQuestions: DEVELOPMENT_QUESTIONS,
		maxTestQuestions: TEST_QUESTIONS,
		onProgress,
	});
	// In the record, `here` is the result of this study, as opposed to the paper's.
	const checked = [retrieval, reading].map(study => findings(study).map(({name, verdict, result}) => ({name, verdict, here: result})));
	return {retrieval, reading, findings: {retrieval: checked[0], reading: checked[1]}};
};
