// The measurements of benches/collections, which run inside the process of each system. The README lists the requests.
// Only the calls of the system are timed: reading the documents from the data set is not.
import {closeSync, openSync, readFileSync, readSync} from 'node:fs';
import {join} from 'node:path';
import {setTimeout as sleep} from 'node:timers/promises';
import {answer, cpuNanos} from '../../qps/servers/node-server.mjs';

export {requirePeer, versionOf} from '../../qps/servers/node-server.mjs';

/** Length of the vectors. */
export const DIM = 384;
/** Number of hits that a hybrid search takes from each list, of systems that have such an option. */
export const DEPTH = 100;

/** Returns the documents `from` to `to` of a data set, as `{id, text, fields, vector}`. The id of document 7 is `d7`. */
function documentsOf(folder, from, to) {
	const read = (file, start, bytes) => {
		const buffer = Buffer.alloc(bytes);
		const descriptor = openSync(join(folder, file), 'r');
		readSync(descriptor, buffer, 0, bytes, start);
		closeSync(descriptor);
		return buffer;
	};
	const floats = read('vectors.f32', from * DIM * 4, (to - from) * DIM * 4);
	const vectors = new Float32Array(floats.buffer, floats.byteOffset, (to - from) * DIM);
	const ends = read('offsets.f64', from * 8, (to - from + 1) * 8);
	const offsets = new Float64Array(ends.buffer, ends.byteOffset, to - from + 1);
	const lines = read('documents.jsonl', offsets[0], offsets.at(-1) - offsets[0])
		.toString()
		.trimEnd()
		.split('\n');
	return lines.map((line, i) => ({id: `d${from + i}`, ...JSON.parse(line), vector: vectors.slice(i * DIM, (i + 1) * DIM)}));
}

/** Returns the time of a call in nanoseconds. */
async function timed(call) {
	const start = process.hrtime.bigint();
	await call();
	return Number(process.hrtime.bigint() - start);
}

const residentBytes = () => {
	try {
		return 1024 * Number(/^VmRSS:\s+(\d+)/mu.exec(readFileSync('/proc/self/status', 'utf8'))[1]);
	} catch {
		return process.memoryUsage.rss();
	}
};

/**
Serves a system. It has `version`, `create(folder)`, `open(folder)`, `add(documents)`, `commit()`, `optimize()`, `close()`, `text`,
`vector` and `hybrid`. The last three get `{text, vector, below, k, effort}` and return the ids of the documents with a price below
`below` that they found; systems without vectors lack two of them. `efforts` are the values of `effort` from fast to accurate, or
empty if vector search is exact. `savesWhole` says that a commit writes the whole collection.
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
			const completing = await timed(() => system.optimize());
			const reply = {durableNanos: nanos, completeNanos: nanos + completing, durableCpuNanos: durableCpu, cpuNanos: cpuNanos(cpu)};
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
			// The first fifth only warms up.
			const warm = performance.now() + seconds * 200;
			for (let i = 0; i < 2 || performance.now() < warm; i++) {
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
					// A snapshot of the whole collection ten times per second is not what such a system is for.
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
				// Synchronous searches must let the timer of the writer fire.
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
