// The line protocol of benches/qps/bm25 for systems in Node: one line of JSON per request, one per reply. README.md lists the
// requests. `serve` does everything except building and searching, which its argument does: an object called the engine.
import {createReadStream, readFileSync, writeFileSync} from 'node:fs';
import {createInterface} from 'node:readline';
import {answer, cpuNanos} from '../../servers/node-server.mjs';

export {requirePeer, versionOf} from '../../servers/node-server.mjs';

/** Splits a text of the token files, in which one space separates tokens. */
export const tokensOf = text => (text === '' ? [] : text.split(' '));

/**
Answers requests until the input ends. An engine has:

- `version`: a string.
- `build(passages, folder, analysis)`: writes an index to a folder. Timed. `passages` is an async iterable of `{id,
  text, title}`.
- `open(folder)`: opens the index for searching.
- `search(text, k)`: resolves to the hits of one query. Timed.
- `toHits(found)`: converts what a search returned to a list of `{id, score}`. Not timed. Without it, searches return
  such lists.
- `searchMany(queries, k, threads)`, if the engine has batches: resolves to an iterable of query id and hits. Timed.
- `analyses`: the analyses (`tokens`, `english`) with which it can build an index; by default only `tokens`.
- `threadedTasks`: the tasks (`query`, `batch`) that it can run on several threads; by default none.
*/
export async function serve(engine) {
	const {analyses = ['tokens'], threadedTasks = [], toHits = found => found} = engine;
	let opened;
	await answer({
		describe: async () => ({version: `${engine.version}, Node ${process.version}`, threads: threadedTasks}),
		async build({passages, folder, analysis}) {
			if (!analyses.includes(analysis)) {
				throw new Error(`expected ${analyses.join(' or ')}, got ${analysis}: the system has no comparable analyzer`);
			}
			const start = performance.now();
			await engine.build(passagesOf(passages), folder, analysis);
			return {seconds: (performance.now() - start) / 1000};
		},
		async query({folder, queries: file, k, rounds: roundCount, batch, threads = 1, hits}) {
			if (batch && !engine.searchMany) {
				throw new Error('expected one query at a time: the system has no batches');
			}
			if (opened !== folder) {
				await engine.open(folder);
				opened = folder;
			}
			const queries = queriesOf(file);
			const rounds = [];
			let found;
			for (let round = 0; round < roundCount; round++) {
				const queryNanos = [];
				const [start, cpuStart] = [process.hrtime.bigint(), process.cpuUsage()];
				if (batch) {
					found = await engine.searchMany(queries, k, threads);
				} else {
					found = [];
					for (const {id, text} of queries) {
						const queryStart = performance.now();
						const list = await engine.search(text, k);
						queryNanos.push(Math.round((performance.now() - queryStart) * 1e6));
						// Hits are kept only if they are written to a file. Real callers do not keep the hits of all queries, and kept hits
						// would slow down the garbage collector.
						if (hits) {
							found.push([id, list]);
						}
					}
				}
				const wallNanos = Number(process.hrtime.bigint() - start);
				rounds.push({wallNanos, cpuNanos: cpuNanos(cpuStart), queryNanos});
			}
			if (hits) {
				const lines = [...found].flatMap(([query, list]) => toHits(list).map(({id, score}) => `${query}\t${id}\t${score}\n`));
				writeFileSync(hits, lines.join(''));
			}
			return {rounds};
		},
	});
}

/** Reads a passage file. Files of tokens have no titles. */
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
