import {WASI} from 'node:wasi';

/** `CLOCK_THREAD_CPUTIME_ID` of WASI. */
const THREAD_CPU = 3;

/** Not declared by Node's types. */
const {WebAssembly} = globalThis as unknown as {WebAssembly: {Memory: new (size: {initial: number}) => {readonly buffer: ArrayBuffer}}};

/**
How long the calling thread has run, in milliseconds: what others keep it from running does not count. Node has no such
clock before version 23.9, but its WebAssembly has one.
*/
export function threadCpu(): () => number {
	const memory = new WebAssembly.Memory({initial: 1});
	const wasi = new WASI({version: 'preview1'});
	wasi.initialize({exports: {memory}});
	const time = new BigUint64Array(memory.buffer, 0, 1);
	const {clock_time_get: read} = wasi.wasiImport as unknown as {clock_time_get: (clock: number, precision: bigint, to: number) => number};
	return () => {
		const error = read(THREAD_CPU, 1n, 0);
		if (error !== 0) {
			throw new Error(`thread CPU time: expected the clock, got error ${error} of WASI`);
		}
		return Number(time[0]) / 1e6;
	};
}
