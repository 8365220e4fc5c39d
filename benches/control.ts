// Event-loop delay of a process without passagekit, next to a benchmark: long turns there are caused by the machine. A virtual machine
// may return freed memory to its host, and stops while it gets memory back.
import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {setTimeout as sleep} from 'node:timers/promises';
import {deflateRawSync, inflateRawSync} from 'node:zlib';
import {type TurnReport, TurnWatch} from './turns.ts';

const PATH = fileURLToPath(import.meta.url);

/** A process that measures its event-loop turns until it is stopped. */
export async function control(): Promise<{stop: () => Promise<TurnReport>}> {
	const child: ChildProcess = fork(PATH, ['turns'], {execArgv: ['--import=tsx']});
	await once(child, 'message');
	return {
		async stop() {
			child.send('stop');
			const [report] = (await once(child, 'message')) as [TurnReport];
			child.disconnect();
			return report;
		},
	};
}

/** Half a millisecond of ordinary work: strings, numbers, arrays, maps, compression. */
function work(seed: number): number {
	const words = Array.from({length: 60}, (_, at) => `word-${(seed * 31 + at * 17) % 997}`);
	const text = words.join(' ');
	const counts = new Map<string, number>();
	for (const word of text.toUpperCase().split(' ')) {
		counts.set(word, (counts.get(word) ?? 0) + 1);
	}
	const parsed = JSON.parse(JSON.stringify({words, counts: [...counts], at: new Date(seed).toISOString()})) as {words: string[]};
	const sorted = parsed.words.sort((a, b) => a.localeCompare(b)).filter(word => /\d{2}$/u.test(word));
	const bytes = inflateRawSync(deflateRawSync(Buffer.from(sorted.join('\n'))));
	return Float64Array.from(bytes)
		.sort()
		.reduce((sum, x) => sum + Math.sqrt(x), 0);
}

if (process.argv[2] === 'turns' && process.send) {
	const watch = new TurnWatch();
	const stop = new AbortController();
	process.once('message', () => stop.abort());
	for (let seed = 0; seed < 2000; seed++) {
		work(seed);
	}
	watch.start();
	process.send('running');
	for (let seed = 0; !stop.signal.aborted; seed++) {
		work(seed);
		await sleep(1);
	}
	process.send(await watch.stop());
}
