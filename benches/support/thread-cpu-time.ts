/** The CPU time of the calling thread. Node has no such clock before version 23.9, so it is read through WASI. */
import {WASI} from 'node:wasi';

/** The number of the clock `CLOCK_THREAD_CPUTIME_ID` in WASI preview 1. */
const THREAD_CPU_CLOCK = 3;

/** Node's types do not declare WebAssembly. */
const {WebAssembly} = globalThis as unknown as {WebAssembly: {Memory: new (size: {initial: number}) => {readonly buffer: ArrayBuffer}}};

/**
Returns a function that reads how long the calling thread has run, in milliseconds. Time in which other threads or processes use
the core does not count.
*/
export function threadCpuClock(): () => number {
	const memory = new WebAssembly.Memory({initial: 1});
	const wasi = new WASI({version: 'preview1'});
	wasi.initialize({exports: {memory}});
	const time = new BigUint64Array(memory.buffer, 0, 1);
	const {clock_time_get: read} = wasi.wasiImport as unknown as {clock_time_get: (clock: number, precision: bigint, to: number) => number};
	return () => {
		// The second argument is the precision in nanoseconds, the third the address to which the time is written.
		const error = read(THREAD_CPU_CLOCK, 1n, 0);
		if (error !== 0) {
			throw new Error(`thread CPU time: expected the time of the clock, got WASI error ${error}`);
		}
		return Number(time[0]) / 1e6;
	};
}
