/** How this package opens its files: mapped or read into memory, and how much of them is checked. */
import {checkBoolean} from './checks.ts';

export interface OpenOptions {
	/**
	Read the files into memory, with huge pages where available, instead of mapping them. Opening then takes as long as reading
	the files, and searches never wait for the disk.

	A mapped file is read when it is searched. If another program truncates it while it is mapped, the system ends the process
	(SIGBUS): no error can be thrown. passagekit itself never truncates a file; it replaces or removes files, and their content
	stays available as long as a process has them open. Use `inMemory` if other programs may write to the files, or if they are
	on a network drive that may be disconnected.
	@default false
	*/
	readonly inMemory?: boolean | undefined;
	/**
	Read every file and compare it with its checksums. By default only checks that take milliseconds are done: of sections up to
	16 MiB, and of a BM25 index up to 64 MiB. Other damage may cause wrong results or errors in later calls, unless `verify()`
	finds it.
	@default false
	*/
	readonly verify?: boolean | undefined;
}

/** The names of `OpenOptions`, to be spread into the lists of calls with more options. */
export const openOptionNames = {inMemory: true, verify: true} as const;

export interface CheckedOpenOptions {
	readonly inMemory: boolean;
	readonly verify: boolean;
}

export function checkedOpenOptions({inMemory = false, verify = false}: OpenOptions): CheckedOpenOptions {
	checkBoolean('inMemory', inMemory);
	checkBoolean('verify', verify);
	return {inMemory, verify};
}
