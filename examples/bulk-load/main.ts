/**
Loads generated documents, and prints the progress and the rate. Ctrl-C stops the program, and the next run continues. Usage:
`npx tsx main.ts [DOCUMENTS]`
*/
import {Collection, type Document} from 'passagekit';

const count = Number(process.argv[2] ?? 200_000);
const perCommit = 20_000;

const controller = new AbortController();
process.once('SIGINT', () => controller.abort());

const words = ['bridge', 'steel', 'river', 'stone', 'train', 'harbor', 'lamp', 'clock', 'tower', 'garden', 'paper', 'engine'];
function* documents(from: number, to: number): Generator<Document> {
	for (let n = from; n < to; n++) {
		const text = Array.from({length: 40}, (_, i) => words[(n * 7 + i * i * (n % 11)) % words.length]).join(' ');
		yield {id: `document-${n}`, text: `${text} number ${n}`, fields: {group: n % 100}};
	}
}

await using docs = await Collection.open('./bulk', {create: true, encoder: false});
const first = (await docs.stats()).documents;
const start = performance.now();
try {
	for (let from = first; from < count; from += perCommit) {
		await docs.add(documents(from, Math.min(from + perCommit, count)), {
			signal: controller.signal,
			onProgress({done}) {
				const rate = (from - first + done) / ((performance.now() - start) / 1000);
				process.stderr.write(`\r${from + done} of ${count} documents, ${Math.round(rate)} per second `);
			},
		});
		await docs.commit();
	}
	await docs.optimize({signal: controller.signal});
} catch (error) {
	if (!controller.signal.aborted) {
		throw error;
	}
	// Keeps what was committed, and discards the documents that were added since the last commit.
	await docs.rollback();
	console.log('stopped');
}
process.stderr.write('\n');
const {documents: stored, segments} = await docs.stats();
console.log(stored, 'documents in', segments, segments === 1 ? 'segment' : 'segments');
const {hits} = await docs.search('number 42', {k: 1, filter: {group: 42}});
console.log('found', hits[0]?.document);
