// The measurements of benches/collections, which run inside the process of each system. `serve` has a handler per request (`describe`,
// `load`, `commits`, `search`, `mixed`); the README says what each of them times. Loads, commits and searches are timed by the wall clock,
// during calls to the system only: reading documents from the data set does not count.
import {closeSync, openSync, readFileSync, readSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {answer, cpuNanos} from '../../qps/servers/node-server.mjs';

export {requirePeer, versionOf} from '../../qps/servers/node-server.mjs';

/** Number of dimensions of the vectors. */
export const DIM = 384;
/** Number of hits that a hybrid search fuses from each list, in systems that have an option for this. */
export const DEPTH = 100;

/** Returns documents `from` to `to - 1` of a data set, counted from 0, as `{id, text, fields, vector}`. The id of document 7 is `d7`. */
function documentsOf(folder, from, to) {
	const read = (file, start, bytes) => {
		const buffer = Buffer.alloc(bytes);
		const descriptor = openSync(join(folder, file), 'r');
		readSync(descriptor, buffer, 0, bytes, start);
		closeSync(descriptor);
		return buffer;
	};
	const vectorBytes = read('vectors.f32', from * DIM * 4, (to - from) * DIM * 4);
	const vectors = new Float32Array(vectorBytes.buffer, vectorBytes.byteOffset, (to - from) * DIM);
	const offsetBytes = read('offsets.f64', from * 8, (to - from + 1) * 8);
	const offsets = new Float64Array(offsetBytes.buffer, offsetBytes.byteOffset, to - from + 1);
	const lines = read('documents.jsonl', offsets[0], offsets.at(-1) - offsets[0])
		.toString()
		.trimEnd()
		.split('\n');
	return lines.map((line, i) => ({id: `d${from + i}`, ...JSON.parse(line), vector: vectors.slice(i * DIM, (i + 1) * DIM)}));
}

/** Awaits a call and returns how long it took, in nanoseconds. */
async function timed(call) {
	const start = process.hrtime.bigint();
	await call();
	return Number(process.hrtime.bigint() - start);
}

/** Returns the resident memory of this process. */
const residentBytes = () => {
	try {
		return 1024 * Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
	} catch {
		return process.memoryUsage.rss();
	}
};

/**
Answers requests until the input ends. `system` is an object with these properties:

- `version`: a string.
- `create(folder)`, `open(folder)`, `add(documents)`, `commit()`, `optimize()` and `close()`.
- `text(query)`, `vector(query)` and `hybrid(query)`: the searches. A system without vectors has only `text`. A query is `{text, vector,
  below, k, effort}`. The search returns the ids of the best k documents with a price below `below`; if `below` is undefined, there is no
  filter. `effort` is the system's own parameter that trades speed for recall.
- `efforts`: the values of `effort` to try, from the fastest to the most accurate. Absent if the system has no such parameter.
- `savesWhole`: whether each commit writes the whole collection to disk; false if absent.
*/
export async function serve(system) {
	const {version, efforts = [], savesWhole = false} = system;
	await answer({
		async describe() {
			const kinds = ['text', 'vector', 'hybrid'].filter(kind => system[kind]);
			return {version, efforts, kinds, savesWhole};
		},
		async load({data, folder, count, batch, commitEach}) {
			const cpu = process.cpuUsage();
			let nanos = await timed(() => system.create(folder));
			for (let from = 0; from < count; from += batch) {
				const documents = documentsOf(data, from, Math.min(count, from + batch));
				nanos += await timed(async () => {
					await system.add(documents);
					if (commitEach) {
						await system.commit();
					}
				});
			}
			nanos += await timed(() => system.commit());
			const durableCpu = cpuNanos(cpu);
			const optimizeNanos = await timed(() => system.optimize());
			const reply = {durableNanos: nanos, completeNanos: nanos + optimizeNanos, durableCpuNanos: durableCpu, cpuNanos: cpuNanos(cpu)};
			await system.close();
			return reply;
		},
		async commits({data, folder, from, count, times, seconds}) {
			await system.open(folder);
			const commitNanos = [];
			const deadline = performance.now() + seconds * 1000;
			for (let i = 0; i < times && (i < 2 || performance.now() < deadline); i++) {
				const documents = documentsOf(data, from + i * count, from + (i + 1) * count);
				commitNanos.push(
					await timed(async () => {
						await system.add(documents);
						await system.commit();
					}),
				);
			}
			await system.close();
			return {commitNanos};
		},
		async search({data, folder, kind, below, k, effort, seconds, minimum, wantsIds = false}) {
			const queries = queriesOf(data);
			await system.open(folder);
			const ids = [];
			if (wantsIds) {
				for (const query of queries) {
					ids.push(await system[kind]({...query, below, k, effort}));
				}
				await system.close();
				return {ids};
			}
			// Warms up for a fifth of the time that is measured.
			const warmUpEnd = performance.now() + seconds * 200;
			for (let i = 0; i < 2 || performance.now() < warmUpEnd; i++) {
				await system[kind]({...queries[i % queries.length], below, k, effort});
			}
			const queryNanos = [];
			const cpu = process.cpuUsage();
			const deadline = performance.now() + seconds * 1000;
			for (let i = 0; i < minimum || performance.now() < deadline; i++) {
				queryNanos.push(await timed(() => system[kind]({...queries[i % queries.length], below, k, effort})));
			}
			const reply = {queryNanos, cpuNanos: cpuNanos(cpu), residentBytes: residentBytes()};
			await system.close();
			return reply;
		},
		async mixed({data, folder, kind, from, rate, batch, seconds, k, effort}) {
			const queries = queriesOf(data);
			await system.open(folder);
			for (let i = 0; i < 20; i++) {
				await system[kind]({...queries[i % queries.length], k, effort});
			}
			const queryNanos = [];
			let added = 0;
			const state = {isAdding: true};
			const start = performance.now();
			const end = start + seconds * 1000;
			const writing = (async () => {
				while (performance.now() < end) {
					const documents = documentsOf(data, from + added, from + added + batch);
					await system.add(documents);
					// Systems whose commits write the whole collection are not designed for several commits per second.
					if (!savesWhole) {
						await system.commit();
					}
					added += batch;
					await sleep(Math.max(0, start + (1000 * added) / rate - performance.now()));
				}
				state.isAdding = false;
			})();
			for (let i = 0; state.isAdding; i++) {
				queryNanos.push(await timed(() => system[kind]({...queries[i % queries.length], k, effort})));
				// Returns to the event loop, so that the writer's timer can fire even if searches are synchronous.
				await new Promise(setImmediate);
			}
			await writing;
			const reply = {queryNanos, added, seconds: (performance.now() - start) / 1000};
			await system.close();
			return reply;
		},
	});
}

function queriesOf(data) {
	return JSON.parse(readFileSync(join(data, 'queries.json'), 'utf8')).map(({text, vector}) => ({text, vector: Float32Array.from(vector)}));
}
