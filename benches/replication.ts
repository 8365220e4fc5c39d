// The replication study on SQuAD-open: articles that the reader was not trained on, three for development, seven for testing.
import {copyFile, mkdir, readFile, writeFile} from 'node:fs/promises';
import {join} from 'node:path';
import {gunzipSync} from 'node:zlib';
import {sharedFile} from '../test/support/shared.ts';
import {packageRoot} from '../ts/core/native/addon.ts';
import {type StudyProgress, findings, replicate} from '../ts/studies/index.ts';
import type {Benchmark} from './benchmark.ts';

/** Passages read per list, and questions. Reading takes about 15 minutes on two cores. */
const [READ, DEVELOPMENT, TEST] = [15, 200, 500];

export const replication: Benchmark = async say => {
	const squad = sharedFile('data', 'squad');
	if (!squad) {
		throw new Error('the replication benchmark needs the shared collections');
	}
	const folder = join(packageRoot, 'benches', '.cache', 'replication');
	const data = join(folder, 'squad-open');
	await mkdir(data, {recursive: true});
	await copyFile(join(squad, 'psgs_w100.squad-dev.tsv.gz'), join(data, 'psgs_w100.tsv.gz'));
	const {test} = JSON.parse(await readFile(join(squad, 'split.json'), 'utf8')) as {test: string[]};
	const development = new Set(test.toSorted().slice(0, 3));
	const lines = gunzipSync(await readFile(join(squad, 'squad-dev.qas.jsonl.gz')))
		.toString('utf8')
		.trim()
		.split('\n');
	const titleOf = (line: string): string => (JSON.parse(line) as {title: string}).title;
	const write = async (name: string, wanted: (title: string) => boolean): Promise<void> =>
		writeFile(join(data, name), `${lines.filter(line => wanted(titleOf(line))).join('\n')}\n`);
	await write('questions.dev.jsonl', title => development.has(title));
	await write('questions.test.jsonl', title => test.includes(title) && !development.has(title));
	let stage = '';
	const onProgress = (progress: StudyProgress): void => {
		if (progress.stage !== stage) {
			say(progress.stage);
			stage = progress.stage;
		}
	};
	// Retrieval is measured on all questions, reading on a sample.
	const retrieval = await replicate(data, join(folder, 'retrieval'), {name: 'SQuAD', reader: false, onProgress});
	const reading = await replicate(data, join(folder, 'reading'), {
		name: 'SQuAD',
		passagesRead: READ,
		maxDevelopmentQuestions: DEVELOPMENT,
		maxTestQuestions: TEST,
		onProgress,
	});
	const judged = [retrieval, reading].map(study => findings(study).map(({name, verdict, here}) => ({name, verdict, here})));
	return {retrieval, reading, findings: {retrieval: judged[0], reading: judged[1]}};
};
