// The line protocol of benches/qps/vectors for systems on Node: one JSON request a line, one JSON reply a line.
import {closeSync, openSync, readFileSync, readSync, writeFileSync} from 'node:fs';
import {answer, cpuNanos} from '../../node-server.mjs';

export {packages, versionOf} from '../../node-server.mjs';

/**
Answers until the input ends.

An engine has `version`; `build(rows, request)`, which is timed, and `save(folder)`, which is not; `open(request)`;
`prepared(query)`, untimed, for a library that does not take a `Float32Array`; and `search(query, k, effort)`. It may
have `searchMany(queries, k, effort, threads)` for a matrix. Searches resolve to what `numbered` makes lists of row numbers of,
untimed. Of a matrix, `row(at)` is one vector. One that can search among some rows only has `accept(allowed)`, with a byte
of each row, or undefined for all. `ways` are those of `build`, `query` and `batch` that it has several threads for; a
request has `threads`.
*/
export async function serve(engine) {
	const {prepared = query => query, numbered = found => found} = engine;
	let opened;
	let filter;
	let asked;
	let queries;
	await answer({
		describe: async () => ({
			version: `${engine.version}, Node ${process.version}`,
			filters: engine.accept !== undefined,
			threads: engine.ways ?? [],
		}),
		async build(request) {
			const rows = matrix(request.rows, request.count, request.dim);
			const [began, cpu] = [performance.now(), process.cpuUsage()];
			await engine.build(rows, request);
			const reply = {seconds: (performance.now() - began) / 1000, cpuSeconds: cpuNanos(cpu) / 1e9};
			await engine.save?.(request.folder);
			return reply;
		},
		async query(request) {
			const {folder, rows, count, dim, k, effort, batch, threads = 1} = request;
			const index = JSON.stringify([folder, rows, count]);
			if (opened !== index) {
				await engine.open(request, () => matrix(rows, count, dim));
				opened = index;
				filter = undefined;
			}
			if (filter !== request.filter) {
				await accept(engine, request);
				({filter} = request);
			}
			if (asked !== `${request.asked} ${request.queries}`) {
				queries = matrix(request.queries, request.asked, dim);
				asked = `${request.asked} ${request.queries}`;
			}
			const singles = batch ? [] : Array.from({length: request.asked}, (_, at) => prepared(queries.row(at)));
			const queryNanos = [];
			let found = [];
			const [began, cpu] = [process.hrtime.bigint(), process.cpuUsage()];
			if (batch) {
				found = await engine.searchMany(queries, k, effort, threads);
			} else {
				for (const query of singles) {
					const start = performance.now();
					const list = await engine.search(query, k, effort);
					queryNanos.push(Math.round((performance.now() - start) * 1e6));
					// As a server would, which forgets what it has answered; kept only to be written down.
					if (request.found) {
						found.push(list);
					}
				}
			}
			const wallNanos = Number(process.hrtime.bigint() - began);
			const reply = {wallNanos, cpuNanos: cpuNanos(cpu), queryNanos};
			if (request.found) {
				const ids = new Int32Array(request.asked * k).fill(-1);
				found.forEach((list, at) => ids.set(Array.from(numbered(list)).slice(0, k), at * k));
				writeFileSync(request.found, ids);
			}
			return reply;
		},
	});
}

async function accept(engine, {filter, count}) {
	if (!engine.accept) {
		throw new Error('cannot filter');
	}
	const allowed = filter && new Uint8Array(readFileSync(filter));
	if (allowed && allowed.length !== count) {
		throw new Error(`expected a filter of ${count} rows, got ${allowed.length}`);
	}
	await engine.accept(allowed);
}

/** The first `count` rows of a file. */
function matrix(path, count, dim) {
	const data = new Float32Array(count * dim);
	const bytes = new Uint8Array(data.buffer);
	const file = openSync(path);
	for (let at = 0; at < bytes.length; ) {
		const read = readSync(file, bytes, at, Math.min(2 ** 30, bytes.length - at), at);
		if (read === 0) {
			throw new Error(`expected ${count} rows of ${dim} values in ${path}, got ${Math.floor(at / dim / 4)}`);
		}
		at += read;
	}
	closeSync(file);
	return {data, rows: count, dim, row: at => data.subarray(at * dim, (at + 1) * dim)};
}
