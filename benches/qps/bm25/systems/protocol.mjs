// The line protocol of benches/qps/bm25 for systems on Node: one JSON request a line, one JSON reply a line.
import {createReadStream, readFileSync, writeFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {answer, cpuNanos} from '../../node-server.mjs';

export {packages, versionOf} from '../../node-server.mjs';

/** The tokens of a text, which are split by one space. */
export const tokensOf = text => (text === '' ? [] : text.split(' '));

/**
Answers until the input ends.

An engine has `version`; `build(passages, folder, analysis)`, of an async iterable of `{id, text, title}`, which is timed;
`open(folder)`; and `search(text, k)`, which resolves to hits. It may have `searchMany(queries, k, threads)`, which resolves
to an iterable of a query's id and its hits, `named(hits)`, which makes `{id, score}` of each, untimed, `analyses`, unless it
takes tokens alone, and `ways`, of `query` and `batch`, that it has several threads for.
*/
export async function serve(engine) {
	const {analyses = ['tokens'], ways = [], named = hits => hits} = engine;
	let opened;
	await answer({
		describe: async () => ({version: `${engine.version}, Node ${process.version}`, threads: ways}),
		async build({passages, folder, analysis}) {
			if (!analyses.includes(analysis)) {
				throw new Error(`expected ${analyses.join(' or ')}, got ${analysis}: there is no analyzer like the others'`);
			}
			const began = performance.now();
			await engine.build(passagesOf(passages), folder, analysis);
			return {seconds: (performance.now() - began) / 1000};
		},
		async query({folder, queries: file, k, rounds: count, batch, threads = 1, hits}) {
			if (batch && !engine.searchMany) {
				throw new Error('expected one query at a time: it has no batches');
			}
			if (opened !== folder) {
				await engine.open(folder);
				opened = folder;
			}
			const queries = queriesOf(file);
			const rounds = [];
			let found;
			for (let round = 0; round < count; round++) {
				const queryNanos = [];
				const [began, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
				if (batch) {
					found = await engine.searchMany(queries, k, threads);
				} else {
					// As a server would, which forgets what it has answered; kept only to be written down.
					found = [];
					for (const {id, text} of queries) {
						const start = performance.now();
						const list = await engine.search(text, k);
						queryNanos.push(Math.round((performance.now() - start) * 1e6));
						if (hits) {
							found.push([id, list]);
						}
					}
				}
				const wallNanos = Number(process.hrtime.bigint() - began);
				rounds.push({wallNanos, cpuNanos: cpuNanos(cpu), queryNanos});
			}
			if (hits) {
				const lines = [...found].flatMap(([query, list]) => named(list).map(({id, score}) => `${query}\t${id}\t${score}\n`));
				writeFileSync(hits, lines.join(''));
			}
			return {rounds};
		},
	});
}

/** The lines of a passage file; without a title where they hold tokens. */
async function* passagesOf(file) {
	for await (const line of createInterface({input: createReadStream(file)})) {
		const [id, text, title] = line.split('\t');
		yield {id, text, title};
	}
}

function queriesOf(file) {
	const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
	return lines.map(line => {
		const [id, text] = line.split('\t');
		return {id, text};
	});
}
