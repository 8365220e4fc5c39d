// Measures one encoding benchmark: texts per second of systems that run the same model, and of their tokenizers alone.
// `measure` takes the definition and returns a result per entry (a system with a name).
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {cache} from '../harness/folders.ts';
import type {Options, Outcome} from '../harness/suite.ts';
import {figureOf} from '../report/plot/figure.ts';
import {type Figure, figure, percentile} from '../statistics/statistics.ts';
import {about, prepareModel, prepareTexts} from './data.ts';
import {type Definition, taskNames} from './definition.ts';
import {encodingCharts} from './report/charts.ts';
import {encodingTable} from './report/text-tables.ts';
import {cosines, sameTokens, tokenCount} from './results/agreement.ts';
import type {Result, Speed} from './results/result.ts';
import {EncodingSystem, type Round, type Task, folderOf} from './system.ts';

/** The maximum number of texts per task in a smoke run. */
const SMOKE_TEXTS = 32;

/** Returns the folders of a definition's systems. */
export const systemsOf = ({systems}: Definition): readonly string[] => systems.map(entry => folderOf(entry));

export async function measure(defined: Definition, {smoke, failed, say}: Options): Promise<Outcome> {
	const definition = smoke ? shortened(defined) : defined;
	const {model, maxTokens, tasks, rounds, systems} = definition;
	const folder = prepareModel(model, maxTokens);
	/** The file of texts of each task. */
	const texts = new Map<Task, string>();
	for (const [task, {texts: kind, sample}] of Object.entries(tasks) as Array<[Task, Definition['tasks'][Task]]>) {
		texts.set(task, await prepareTexts(kind, sample));
	}
	mkdirSync(join(cache, 'hits'), {recursive: true});
	const results = new Map<string, Result>(systems.map(({name}) => [name, {name}]));
	const running = new Map<string, EncodingSystem>();
	const measured = new Map<string, Round[]>();
	const outputOf = (name: string, task: Task): string => join(cache, 'hits', `${name.replaceAll(/\W+/gu, '-')}-${task}.bin`);
	try {
		// Round 0 starts the systems and writes their results to files. Its times are not recorded.
		for (let round = 0; round <= rounds; round++) {
			say(round === 0 ? 'warming up …' : `round ${round} of ${rounds} …`);
			for (const entry of systems.filter(({name}) => !results.get(name)!.failed)) {
				try {
					if (round === 0) {
						const failure = failed.get(folderOf(entry));
						if (failure) {
							throw new Error(failure);
						}
						const system = new EncodingSystem(entry);
						running.set(entry.name, system);
						results.set(entry.name, {name: entry.name, version: await system.version()});
					}
					for (const [task, file] of texts) {
						const request = {model: folder, maxTokens, task, texts: file, ...(round === 0 && {output: outputOf(entry.name, task)})};
						const done = await running.get(entry.name)!.work(request);
						const key = `${entry.name} ${task}`;
						measured.set(key, round === 0 ? [] : [...measured.get(key)!, done]);
					}
				} catch (error) {
					say(`${entry.name}: ${(error as Error).message}`);
					results.set(entry.name, {...results.get(entry.name)!, failed: (error as Error).message});
				}
			}
		}
		for (const [name, result] of results) {
			results.set(name, {...result, peakBytes: running.get(name)?.peakBytes()});
		}
	} finally {
		await Promise.all([...running.values()].map(async system => system.close()));
	}
	const found = [...results.values()].map(result => (result.failed ? result : {...result, speed: speeds(result.name)}));
	return {
		definition,
		data: {about: Object.values(about).join('; '), tokens: totalTokens()},
		results: found,
		table: encodingTable(definition, found),
		figure: figureOf(definition.about, encodingCharts(definition, found)),
		violations: [],
	};

	/** Returns the speed of an entry at each task, and its agreement with the reference. The keys are the names in `taskNames`. */
	function speeds(name: string): Readonly<Record<string, Speed>> {
		const {reference} = definition;
		const other = name === reference || results.get(reference)?.failed ? undefined : reference;
		return Object.fromEntries(
			[...texts].map(([task, file]) => {
				const count = readFileSync(file, 'utf8').trimEnd().split('\n').length;
				const rounds = measured.get(`${name} ${task}`)!;
				const referenceRounds = other === undefined ? undefined : measured.get(`${other} ${task}`)!;
				return [taskNames[task], {...speed(rounds, count, referenceRounds), ...agreement(name, other, task, count)}];
			}),
		);
	}

	/** Compares the output of the entry `name` with that of `other`, if it is defined. If the output is token ids, also counts them. */
	function agreement(name: string, other: string | undefined, task: Task, count: number): Partial<Speed> {
		const output = outputOf(name, task);
		if (task === 'tokenise') {
			return {tokens: tokenCount(output), ...(other && {sameTokens: sameTokens(output, outputOf(other, task))})};
		}
		return other ? {cosines: cosines(output, outputOf(other, task), count)} : {};
	}

	/** Returns the number of tokens of the passages, as counted by the first system that did not fail. */
	function totalTokens(): number | undefined {
		const first = [...results.values()].find(result => !result.failed);
		return first && tokenCount(outputOf(first.name, 'tokenise'));
	}
}

/** Summarizes the rounds of one entry at one task. `count` is the number of texts; `reference` has the rounds of the reference. */
function speed(rounds: readonly Round[], count: number, reference?: readonly Round[]): Speed {
	const ratio = (nanos: (round: Round) => number): Figure => figure(rounds.map((round, i) => nanos(reference![i]!) / nanos(round)));
	const latency = (share: number): Figure => figure(rounds.map(round => percentile(round.queryNanos, share) / 1000));
	return {
		wall: figure(rounds.map(round => (count * 1e9) / round.wallNanos)),
		cpu: figure(rounds.map(round => (count * 1e9) / round.cpuNanos)),
		...(rounds[0]!.queryNanos.length > 0 && {p50: latency(0.5), p99: latency(0.99)}),
		...(reference && {wallRatio: ratio(round => round.wallNanos), cpuRatio: ratio(round => round.cpuNanos)}),
	};
}

/** Returns the definition of a smoke run: one round with few texts. */
function shortened(definition: Definition): Definition {
	const tasks = Object.entries(definition.tasks).map(([name, task]) => [name, {...task, sample: Math.min(task.sample, SMOKE_TEXTS)}]);
	return {...definition, rounds: 1, tasks: Object.fromEntries(tasks)};
}
