// The line protocol of benches/qps/vectors for systems in Node: one line of JSON per request, one per reply. README.md in
// benches/qps/vectors lists the requests. `serve` does everything except building and searching an index, for which it
// calls the methods of its argument `engine`.
import {closeSync, openSync, readFileSync, readSync, writeFileSync} from 'node:fs';
import {answer, cpuNanos} from '../../servers/node-server.mjs';

export {requirePeer, versionOf} from '../../servers/node-server.mjs';

/**
Answers requests until the input ends. A matrix is `{data, rows, dim, row}`: all values in one `Float32Array`, the
shape, and a function that returns one row. An engine has:

- `version`: a string.
- `build(matrix, request)`: builds an index of the rows of a matrix in memory. Timed. `request` has the fields of a
  `build` request, such as `options`.
- `save(folder)`: writes the index that was built to a folder. Not timed. An engine without an index has no `save`.
- `open(request, readRows)`: opens the index in `request.folder`. `readRows()` reads the indexed vectors, for an engine
  that needs them.
- `toQuery(vector)`: converts a `Float32Array` to what `search` takes. Not timed. By default it returns the vector.
- `search(query, k, effort)`: resolves to the hits of one query. Timed.
- `searchMany(matrix, k, effort, threads)`, if the engine has batches: resolves to an array with the hits of each query.
  Timed.
- `toRows(hits)`: converts the hits of one query to a list of row numbers. Not timed. By default it returns the hits.
- `setFilter(allowed)`, if the engine has filters: later searches return only allowed rows. `allowed` has a byte per
  row, 1 if the row is allowed, or is undefined to allow all rows.
- `threadedTasks`: the tasks (`build`, `query`, `batch`) that the engine can run on several threads; by default none.
*/
export async function serve(engine) {
	const {toQuery = vector => vector, toRows = hits => hits} = engine;
	let opened;
	let filter;
	let loadedQueries;
	let queries;
	await answer({
		describe: async () => ({
			version: `${engine.version}, Node ${process.version}`,
			filters: engine.setFilter !== undefined,
			threads: engine.threadedTasks ?? [],
		}),
		async build(request) {
			const rows = readMatrix(request.rows, request.count, request.dim);
			const [start, cpuStart] = [performance.now(), process.cpuUsage()];
			await engine.build(rows, request);
			const reply = {seconds: (performance.now() - start) / 1000, cpuSeconds: cpuNanos(cpuStart) / 1e9};
			await engine.save?.(request.folder);
			return reply;
		},
		async query(request) {
			const {folder, rows, count, dim, k, effort, batch, threads = 1} = request;
			const index = JSON.stringify([folder, rows, count]);
			if (opened !== index) {
				await engine.open(request, () => readMatrix(rows, count, dim));
				opened = index;
				filter = undefined;
			}
			if (filter !== request.filter) {
				await setFilter(engine, request);
				({filter} = request);
			}
			if (loadedQueries !== `${request.asked} ${request.queries}`) {
				queries = readMatrix(request.queries, request.asked, dim);
				loadedQueries = `${request.asked} ${request.queries}`;
			}
			const singleQueries = batch ? [] : Array.from({length: request.asked}, (_, i) => toQuery(queries.row(i)));
			const queryNanos = [];
			let found = [];
			const [start, cpuStart] = [process.hrtime.bigint(), process.cpuUsage()];
			if (batch) {
				found = await engine.searchMany(queries, k, effort, threads);
			} else {
				for (const query of singleQueries) {
					const queryStart = performance.now();
					const hits = await engine.search(query, k, effort);
					queryNanos.push(Math.round((performance.now() - queryStart) * 1e6));
					// Hits are kept only if they will be written to a file. Real callers do not keep the hits of all queries, and
					// keeping them would slow down the garbage collector.
					if (request.found) {
						found.push(hits);
					}
				}
			}
			const wallNanos = Number(process.hrtime.bigint() - start);
			const reply = {wallNanos, cpuNanos: cpuNanos(cpuStart), queryNanos};
			if (request.found) {
				const rowNumbers = new Int32Array(request.asked * k).fill(-1);
				found.forEach((hits, i) => rowNumbers.set(Array.from(toRows(hits)).slice(0, k), i * k));
				writeFileSync(request.found, rowNumbers);
			}
			return reply;
		},
	});
}

async function setFilter(engine, {filter, count}) {
	if (!engine.setFilter) {
		throw new Error('cannot filter');
	}
	const allowed = filter && new Uint8Array(readFileSync(filter));
	if (allowed && allowed.length !== count) {
		throw new Error(`expected a filter of ${count} rows, got ${allowed.length}`);
	}
	await engine.setFilter(allowed);
}

/** Reads the first `count` rows of a file of little-endian f32 rows. */
function readMatrix(path, count, dim) {
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
	return {data, rows: count, dim, row: i => data.subarray(i * dim, (i + 1) * dim)};
}
