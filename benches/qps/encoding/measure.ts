// What the definition of encoding comes to: texts per second of the same model, and of its tokenizer alone.
import {mkdirSync, readFileSync} from 'node:fs';
import {join} from 'node:path';
import {figureOf} from '../report/figure.ts';
import type {Options, Outcome} from '../part.ts';
import {type Figure, figure, percentile} from '../statistics.ts';
import {cache} from '../system.ts';
import {cosines, sameTokens, tokenCount} from './agreement.ts';
import {encodingCharts} from './charts.ts';
import {about, prepareModel, prepareTexts} from './data.ts';
import {type Definition, type Result, type Speed, taskNames} from './definition.ts';
import {EncodingSystem, type Round, type Task, folderOf} from './system.ts';
import {encodingTable} from './table.ts';

/** In a smoke run, at most. */
const SMOKE = 32;

export const systemsOf = ({systems}: Definition): readonly string[] => systems.map(entry => folderOf(entry));

export async function measure(defined: Definition, {smoke, failed, say}: Options): Promise<Outcome> {
	const definition = smoke ? small(defined) : defined;
	const {model, maxTokens, tasks, rounds, systems} = definition;
	const folder = prepareModel(model, maxTokens);
	const texts = new Map<Task, string>();
	for (const [task, {texts: of, sample}] of Object.entries(tasks) as Array<[Task, Definition['tasks'][Task]]>) {
		texts.set(task, await prepareTexts(of, sample));
	}
	mkdirSync(join(cache, 'hits'), {recursive: true});
	const results = new Map<string, Result>(systems.map(({name}) => [name, {name}]));
	const running = new Map<string, EncodingSystem>();
	const measured = new Map<string, Round[]>();
	const made = (name: string, task: Task): string => join(cache, 'hits', `${name.replaceAll(/\W+/gu, '-')}-${task}.bin`);
	try {
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
						const request = {model: folder, maxTokens, task, texts: file, ...(round === 0 && {found: made(entry.name, task)})};
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
		data: {about: Object.values(about).join('; '), tokens: tokensOf()},
		results: found,
		table: encodingTable(definition, found),
		figure: figureOf(definition.about, encodingCharts(definition, found)),
		wrong: [],
	};

	function speeds(name: string): Readonly<Record<string, Speed>> {
		const {reference} = definition;
		const compared = name === reference || results.get(reference)?.failed ? undefined : reference;
		return Object.fromEntries(
			[...texts].map(([task, file]) => {
				const count = readFileSync(file, 'utf8').trimEnd().split('\n').length;
				const own = measured.get(`${name} ${task}`)!;
				const others = compared === undefined ? undefined : measured.get(`${compared} ${task}`)!;
				return [taskNames[task], {...speed(own, count, others), ...agreement(name, compared, task, count)}];
			}),
		);
	}

	function agreement(name: string, compared: string | undefined, task: Task, count: number): Partial<Speed> {
		const own = made(name, task);
		if (task === 'tokenise') {
			return {tokens: tokenCount(own), ...(compared && {sameTokens: sameTokens(own, made(compared, task))})};
		}
		return compared ? {cosines: cosines(own, made(compared, task), count)} : {};
	}

	function tokensOf(): number | undefined {
		const first = [...results.values()].find(result => !result.failed);
		return first && tokenCount(made(first.name, 'tokenise'));
	}
}

function speed(rounds: readonly Round[], count: number, reference?: readonly Round[]): Speed {
	const ratio = (nanos: (round: Round) => number): Figure => figure(rounds.map((round, i) => nanos(reference![i]!) / nanos(round)));
	const latency = (part: number): Figure => figure(rounds.map(round => percentile(round.queryNanos, part) / 1000));
	return {
		wall: figure(rounds.map(round => (count * 1e9) / round.wallNanos)),
		cpu: figure(rounds.map(round => (count * 1e9) / round.cpuNanos)),
		...(rounds[0]!.queryNanos.length > 0 && {p50: latency(0.5), p99: latency(0.99)}),
		...(reference && {wallRatio: ratio(round => round.wallNanos), cpuRatio: ratio(round => round.cpuNanos)}),
	};
}

function small(definition: Definition): Definition {
	const tasks = Object.entries(definition.tasks).map(([task, of]) => [task, {...of, sample: Math.min(of.sample, SMOKE)}]);
	return {...definition, rounds: 1, tasks: Object.fromEntries(tasks)};
}
