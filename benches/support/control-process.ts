// The control process of a benchmark of event-loop delay: it runs at the same time, without passagekit, and does ordinary work. If an
// iteration of its event loop takes long, the machine is the cause. For example, a virtual machine may return freed memory to its host,
// and later stall while it gets the memory back.
import {type ChildProcess, fork} from 'node:child_process';
import {once} from 'node:events';
import {fileURLToPath} from 'node:url';
import {setTimeout as sleep} from 'node:timers/promises';
import {deflateRawSync, inflateRawSync} from 'node:zlib';
import {EventLoopMonitor, type EventLoopReport} from './event-loop-monitor.ts';

const PATH = fileURLToPath(import.meta.url);
/** The child process runs this file with this argument. */
const CHILD_ARGUMENT = 'control-process';

/** Starts the control process. `stop` ends it and resolves to the statistics of its event loop. */
export async function startControlProcess(): Promise<{stop: () => Promise<EventLoopReport>}> {
	const child: ChildProcess = fork(PATH, [CHILD_ARGUMENT], {execArgv: ['--import=tsx']});
	await once(child, 'message');
	return {
		async stop() {
			child.send('stop');
			const [report] = (await once(child, 'message')) as [EventLoopReport];
			child.disconnect();
			return report;
		},
	};
}

/** Does about half a millisecond of ordinary work: strings, numbers, arrays, maps, compression. Callers ignore the result. */
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

if (process.argv[2] === CHILD_ARGUMENT && process.send) {
	const monitor = new EventLoopMonitor();
	const stop = new AbortController();
	process.once('message', () => stop.abort());
	// A warm-up, in which V8 compiles and optimizes `work`.
	for (let seed = 0; seed < 2000; seed++) {
		work(seed);
	}
	monitor.start();
	process.send('running');
	for (let seed = 0; !stop.signal.aborted; seed++) {
		work(seed);
		await sleep(1);
	}
	process.send(await monitor.stop());
}
