// What one definition of BM25 comes to: queries, or the building of indexes.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {figureOf} from '../report/figure.ts';
import type {Options, Outcome, Say} from '../part.ts';
import {figure} from '../statistics.ts';
import {cache} from '../system.ts';
import {type Agreement, agreement, readHits} from './agreement.ts';
import {bm25Charts} from './charts.ts';
import {corpus, firstQueries, prepareCorpus, prepareQueries, queries} from './data.ts';
import type {Definition, Result} from './definition.ts';
import {build, indexFolder, indexed} from './indexes.ts';
import {type Measured, type Speed, speed} from './speed.ts';
import {Bm25System, type Entry, type Round, folderOf} from './system.ts';
import {buildTable, speedTable} from './table.ts';

/** passagekit's server also makes the tokens. */
export const systemsOf = ({systems}: Definition): readonly string[] => [
	...systems.map(entry => folderOf(entry)),
	folderOf({system: 'passagekit'}),
];

export async function measure(defined: Definition, {rebuild, smoke, failed, say}: Options): Promise<Outcome> {
	const definition = smoke ? {...defined, rounds: 1, warmUp: {rounds: defined.queries ? 1 : 0, seconds: 0}} : defined;
	const results = definition.queries
		? await measureQueries(definition, failed, rebuild, say)
		: await measureBuilds(definition, failed, say);
	return {
		definition,
		data: {corpus: corpus(definition.corpus), ...(definition.queries && {queries: queries(definition.queries)})},
		results,
		table: definition.queries ? speedTable(results, definition.threads ?? 1) : buildTable(results),
		figure: figureOf(definition.about, bm25Charts(definition, results)),
		wrong: inexact(definition, results, say),
	};
}

async function measureQueries(
	{corpus: name, queries: of, analysis, k: ks = [], rounds, warmUp, threads = 1, reference, systems}: Definition,
	failed: ReadonlyMap<string, string>,
	rebuild: boolean,
	say: Say,
): Promise<readonly Result[]> {
	const passages = await prepareCorpus(name, say);
	const asked = await prepareQueries(of!, say);
	const file = analysis === 'tokens' ? 'tokens' : 'raw';
	const askedOf = new Map(systems.map(entry => [entry.name, firstQueries(asked[file], entry.queries ?? queries(of!).sample)]));
	const results = new Map<string, Result>();
	const running = new Map<string, Bm25System>();
	const measured = new Map<string, Round[]>();
	const hits = join(cache, 'hits', `${name}-${of!}`);
	const hitsOf = (entry: string, k: number): string => join(hits, `${entry.replaceAll(/\W+/gu, '-')}-${k}.tsv`);
	mkdirSync(hits, {recursive: true});
	/** Does one step of an entry, unless one failed before. */
	const step = async (entry: Entry, work: (system: Bm25System, result: Result) => Promise<void>): Promise<void> => {
		const result = results.get(entry.name) ?? {name: entry.name};
		try {
			if (!result.failed) {
				await work(running.get(entry.name)!, result);
			}
		} catch (error) {
			say(`${entry.name}: ${(error as Error).message}`);
			results.set(entry.name, {...result, failed: (error as Error).message});
		}
	};
	const ask = async (entry: Entry, k: number, hits?: string): Promise<Round> => {
		const request = {
			folder: indexFolder(entry, name, analysis),
			queries: askedOf.get(entry.name)!.file,
			k,
			rounds: 1,
			batch: entry.batch ?? false,
			threads,
			...(hits && {hits}),
		};
		const [round] = await running.get(entry.name)!.query(request);
		return round!;
	};
	try {
		for (const entry of systems) {
			await step(entry, async (_, result) => {
				refuse(failed.get(folderOf(entry)));
				const built = await indexed(entry, name, passages[file], analysis, rebuild, say);
				const system = new Bm25System(entry, threads);
				running.set(entry.name, system);
				const {threads: ways = []} = await system.describe();
				const used = ways.includes(entry.batch ? 'batch' : 'query') ? threads : 1;
				results.set(entry.name, {...result, built, ...(threads > 1 && {threads: used})});
			});
		}
		for (const entry of systems) {
			await step(entry, async () => {
				say(`warming ${entry.name} up …`);
				for (const k of ks) {
					let seconds = 0;
					for (let round = 0; round < Math.max(1, warmUp?.rounds ?? 0) || seconds < (warmUp?.seconds ?? 0); round++) {
						seconds += (await ask(entry, k)).wallNanos / 1e9;
					}
				}
			});
		}
		for (let round = 1; round <= rounds; round++) {
			say(`round ${round} of ${rounds} …`);
			for (const entry of systems) {
				await step(entry, async () => {
					for (const k of ks) {
						const key = `${entry.name} ${k}`;
						measured.set(key, [...(measured.get(key) ?? []), await ask(entry, k)]);
					}
				});
			}
		}
		// Last: a process that has kept all hits once is larger, and slower where memory is collected.
		for (const entry of systems) {
			await step(entry, async (system, result) => {
				results.set(entry.name, {...result, peakBytes: system.peakBytes()});
				for (const k of ks) {
					await ask(entry, k, hitsOf(entry.name, k));
				}
			});
		}
		const measuredOf = (entry: string, k: number): Measured => ({
			rounds: measured.get(`${entry} ${k}`)!,
			queries: askedOf.get(entry)!.ids.length,
		});
		for (const entry of systems) {
			await step(entry, async (_, result) => {
				const speeds: Record<number, Speed & {agreement?: Agreement}> = {};
				const compared = entry.name === reference || results.get(reference)?.failed ? undefined : reference;
				const {ids} = askedOf.get(entry.name)!;
				const both = compared === undefined ? ids : ids.slice(0, askedOf.get(compared)!.ids.length);
				for (const k of ks) {
					speeds[k] = {
						...speed(measuredOf(entry.name, k), compared === undefined ? undefined : measuredOf(compared, k)),
						...(compared && {agreement: agreement(await readHits(hitsOf(entry.name, k)), await readHits(hitsOf(compared, k)), both)}),
					};
				}
				results.set(entry.name, {...result, speed: speeds, queries: ids.length});
			});
		}
	} finally {
		await Promise.all([...running.values()].map(async system => system.close()));
	}
	return systems.map(({name}) => results.get(name)!);
}

async function measureBuilds(
	{corpus: name, analysis, rounds, warmUp, reference, systems}: Definition,
	failed: ReadonlyMap<string, string>,
	say: Say,
): Promise<readonly Result[]> {
	const passages = await prepareCorpus(name, say);
	const results = new Map<string, Result>();
	const measured = new Map<string, number[]>();
	const running = new Map(systems.map(entry => [entry.name, new Bm25System(entry)]));
	try {
		for (let round = 1 - (warmUp?.rounds ?? 0); round <= rounds; round++) {
			say(round < 1 ? 'warming up …' : `round ${round} of ${rounds} …`);
			for (const entry of systems.filter(({name}) => !results.get(name)?.failed)) {
				try {
					refuse(failed.get(folderOf(entry)));
					const file = passages[analysis === 'tokens' ? 'tokens' : 'raw'];
					const built = await build(running.get(entry.name)!, entry, name, file, analysis);
					results.set(entry.name, {name: entry.name, built});
					if (round >= 1) {
						measured.set(entry.name, [...(measured.get(entry.name) ?? []), built.seconds]);
					}
				} catch (error) {
					say(`${entry.name}: ${(error as Error).message}`);
					results.set(entry.name, {name: entry.name, failed: (error as Error).message});
				}
			}
		}
	} finally {
		await Promise.all([...running.values()].map(async system => system.close()));
	}
	const compared = results.get(reference)?.failed ? undefined : measured.get(reference);
	return systems.map(entry => {
		const result = results.get(entry.name)!;
		const seconds = measured.get(entry.name);
		if (result.failed || !seconds) {
			return result;
		}
		const ratio = compared && entry.name !== reference && {secondsRatio: figure(seconds.map((value, i) => compared[i]! / value))};
		return {...result, seconds: figure(seconds), ...ratio};
	});
}

function refuse(reason: string | undefined): void {
	if (reason) {
		throw new Error(reason);
	}
}

/** Entries that are to have the reference's hits, and have others. */
function inexact({systems}: Definition, results: readonly Result[], say: Say): readonly string[] {
	const wrong: string[] = [];
	for (const {name} of systems.filter(({exact}) => exact)) {
		const speeds = Object.entries(results.find(result => result.name === name)?.speed ?? {});
		for (const [k, {agreement}] of speeds) {
			if (!agreement) {
				say(`${name}, k=${k}: not compared with the reference, which was not measured`);
			} else if (agreement.identical < agreement.queries) {
				wrong.push(`${name}, k=${k}: expected the reference's hits, got them for ${agreement.identical} of ${agreement.queries} queries`);
			}
		}
	}
	return wrong;
}
