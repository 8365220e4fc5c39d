// passagekit as its users call it: awaited searches one after the other, or one `searchMany`, hits named.
import {createReadStream, readFileSync, writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {createInterface} from 'node:readline';
import {Bm25Index} from '../../../../../dist/ts/index.js';

const {version} = JSON.parse(readFileSync(new URL('../../../../../package.json', import.meta.url), 'utf8'));
const opened = new Map();

async function* passagesOf(file) {
	for await (const line of createInterface({input: createReadStream(file)})) {
		const [id, text, title] = line.split('\t');
		yield {id, text, title};
	}
}

const verbs = {
	describe: async () => ({version: `${version}, Node ${process.version}`}),
	async build({passages, folder, analysis}) {
		const began = performance.now();
		const index = await Bm25Index.build(join(folder, 'index'), passagesOf(passages), {
			analyzer: analysis === 'tokens' ? 'whitespace' : 'english',
		});
		index.close();
		return {seconds: (performance.now() - began) / 1000};
	},
	async query({folder, queries: file, k, rounds: count, batch, hits}) {
		if (!opened.has(folder)) {
			opened.set(folder, await Bm25Index.open(join(folder, 'index')));
		}
		const index = opened.get(folder);
		const queries = readFileSync(file, 'utf8')
			.trimEnd()
			.split('\n')
			.map(line => {
				const [id, text] = line.split('\t');
				return {id, text};
			});
		const rounds = [];
		let found;
		for (let round = 0; round < count; round++) {
			const queryNanos = [];
			const cpu = process.cpuUsage();
			const began = process.hrtime.bigint();
			if (batch) {
				found = await index.searchMany(queries, {k, threads: 1});
			} else {
				// As a server would, which forgets what it has answered; kept only to be written down.
				found = hits ? new Map() : undefined;
				for (const {id, text} of queries) {
					const start = performance.now();
					const list = await index.search(text, {k});
					queryNanos.push(Math.round((performance.now() - start) * 1e6));
					found?.set(id, list);
				}
			}
			const wallNanos = Number(process.hrtime.bigint() - began);
			const {user, system} = process.cpuUsage(cpu);
			rounds.push({wallNanos, cpuNanos: (user + system) * 1000, queryNanos});
		}
		if (hits) {
			const lines = [...found].flatMap(([query, list]) => list.map(({id, score}) => `${query}\t${id}\t${score}\n`));
			writeFileSync(hits, lines.join(''));
		}
		return {rounds};
	},
};

for await (const line of createInterface({input: process.stdin})) {
	const request = JSON.parse(line);
	const reply = await verbs[request.verb](request).catch(error => ({error: String(error)}));
	process.stdout.write(`${JSON.stringify(reply)}\n`);
}
