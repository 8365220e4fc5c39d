// Measures one BM25 benchmark: the speed of queries, or the time to build indexes. `measure` takes the benchmark's
// definition and returns a result per entry. An entry is a system and the way in which it is called.
import {mkdirSync} from 'node:fs';
import {join} from 'node:path';
import {cache} from '../harness/folders.ts';
import type {Options, Outcome, Say} from '../harness/suite.ts';
import {figureOf} from '../report/plot/figure.ts';
import {figure} from '../statistics/statistics.ts';
import {corpus, firstQueries, prepareCorpus, prepareQueries, queries} from './data/data.ts';
import type {Definition} from './definition.ts';
import {build, ensureIndex, indexFolder} from './indexes.ts';
import {bm25Charts} from './report/charts.ts';
import {buildTable, speedTable} from './report/text-tables.ts';
import {type Agreement, agreement, readHits} from './results/agreement.ts';
import type {Result} from './results/result.ts';
import {type Measured, type Speed, speed} from './results/speed.ts';
import {Bm25System, type Entry, type Round, folderOf} from './system.ts';

/** Returns the folders of a definition's systems, and that of passagekit's server, which analyzes the passages into tokens. */
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
		violations: violations(definition, results, say),
	};
}

/** Measures the speed of queries, and compares the hits with those of the reference. */
async function measureQueries(
	{corpus: corpusName, queries: queriesName, analysis, k: ks = [], rounds, warmUp, threads = 1, reference, systems}: Definition,
	failed: ReadonlyMap<string, string>,
	rebuild: boolean,
	say: Say,
): Promise<readonly Result[]> {
	const passages = await prepareCorpus(corpusName, say);
	const queryFiles = await prepareQueries(queriesName!, say);
	const content = analysis === 'tokens' ? 'tokens' : 'raw';
	const queriesOf = new Map(
		systems.map(entry => [entry.name, firstQueries(queryFiles[content], entry.queries ?? queries(queriesName!).sample)]),
	);
	const results = new Map<string, Result>();
	const running = new Map<string, Bm25System>();
	const measured = new Map<string, Round[]>();
	const hitsFolder = join(cache, 'hits', `${corpusName}-${queriesName!}`);
	const hitsOf = (entry: string, k: number): string => join(hitsFolder, `${entry.replaceAll(/\W+/gu, '-')}-${k}.tsv`);
	mkdirSync(hitsFolder, {recursive: true});
	/** Runs one step for an entry, unless an earlier step failed. If the step fails, so does the entry. */
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
	/** Makes an entry answer all of its queries once, and returns the times. `hits` is a file to write the hits to. */
	const ask = async (entry: Entry, k: number, hits?: string): Promise<Round> => {
		const request = {
			folder: indexFolder(entry, corpusName, analysis),
			queries: queriesOf.get(entry.name)!.file,
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
				throwIfFailed(failed.get(folderOf(entry)));
				const built = await ensureIndex(entry, corpusName, passages[content], analysis, rebuild, say);
				const system = new Bm25System(entry, threads);
				running.set(entry.name, system);
				const {threads: threadedTasks = []} = await system.describe();
				const used = threadedTasks.includes(entry.batch ? 'batch' : 'query') ? threads : 1;
				results.set(entry.name, {...result, built, ...(threads > 1 && {threads: used})});
			});
		}
		for (const entry of systems) {
			await step(entry, async () => {
				say(`warming up ${entry.name} …`);
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
		// Hits are written after all rounds. A process that holds the hits of all queries uses more memory, and its garbage collector, if it
		// has one, slows it down.
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
			queries: queriesOf.get(entry)!.ids.length,
		});
		for (const entry of systems) {
			await step(entry, async (_, result) => {
				const speeds: Record<number, Speed & {agreement?: Agreement}> = {};
				const other = entry.name === reference || results.get(reference)?.failed ? undefined : reference;
				const {ids} = queriesOf.get(entry.name)!;
				const commonIds = other === undefined ? ids : ids.slice(0, queriesOf.get(other)!.ids.length);
				for (const k of ks) {
					speeds[k] = {
						...speed(measuredOf(entry.name, k), other === undefined ? undefined : measuredOf(other, k)),
						...(other && {agreement: agreement(await readHits(hitsOf(entry.name, k)), await readHits(hitsOf(other, k)), commonIds)}),
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

/** Measures the time to build indexes. */
async function measureBuilds(
	{corpus: corpusName, analysis, rounds, warmUp, reference, systems}: Definition,
	failed: ReadonlyMap<string, string>,
	say: Say,
): Promise<readonly Result[]> {
	const passages = await prepareCorpus(corpusName, say);
	const results = new Map<string, Result>();
	const measured = new Map<string, number[]>();
	const running = new Map(systems.map(entry => [entry.name, new Bm25System(entry)]));
	try {
		// Rounds 0 and below are the warm-up.
		for (let round = 1 - (warmUp?.rounds ?? 0); round <= rounds; round++) {
			say(round < 1 ? 'warming up …' : `round ${round} of ${rounds} …`);
			for (const entry of systems.filter(({name}) => !results.get(name)?.failed)) {
				try {
					throwIfFailed(failed.get(folderOf(entry)));
					const file = passages[analysis === 'tokens' ? 'tokens' : 'raw'];
					const built = await build(running.get(entry.name)!, entry, corpusName, file, analysis);
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
	const referenceSeconds = results.get(reference)?.failed ? undefined : measured.get(reference);
	return systems.map(entry => {
		const result = results.get(entry.name)!;
		const seconds = measured.get(entry.name);
		if (result.failed || !seconds) {
			return result;
		}
		const ratio = referenceSeconds &&
			entry.name !== reference && {secondsRatio: figure(seconds.map((value, i) => referenceSeconds[i]! / value))};
		return {...result, seconds: figure(seconds), ...ratio};
	});
}

/** Fails with the reason why a system could not be set up, if there is one. */
function throwIfFailed(reason: string | undefined): void {
	if (reason) {
		throw new Error(reason);
	}
}

/** Returns a message for each entry marked `exact` and each k for which its hits differ from the reference's. */
function violations({systems, reference}: Definition, results: readonly Result[], say: Say): readonly string[] {
	const found: string[] = [];
	for (const {name} of systems.filter(entry => entry.exact && entry.name !== reference)) {
		const speeds = Object.entries(results.find(result => result.name === name)?.speed ?? {});
		for (const [k, {agreement}] of speeds) {
			if (!agreement) {
				say(`${name}, k=${k}: not compared with the reference, which was not measured`);
			} else if (agreement.identical < agreement.queries) {
				found.push(`${name}, k=${k}: expected the reference's hits, got them for ${agreement.identical} of ${agreement.queries} queries`);
			}
		}
	}
	return found;
}
