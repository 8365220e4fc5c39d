/** How this package opens its files: whether it memory-maps them or reads them into memory, and how much of them it checks. */
import {checkBoolean} from './checks.ts';

/** How files of an index or a passage store are opened. */
export interface OpenOptions {
	/**
	Reads the files into memory, with huge pages where available, instead of memory-mapping them. Opening then takes as long as
	reading the files, and searches never wait for the disk.

	A mapped file is read from disk when it is searched. If another program truncates the file while it is mapped, the system ends
	the process with the signal SIGBUS, and no error can be thrown. passagekit itself never truncates a file; it replaces or removes
	files, and their content stays available as long as a process has them open. Use `inMemory` if other programs may write to the
	files, or if the files are on a network drive that may be disconnected.
	@default false
	*/
	readonly inMemory?: boolean | undefined;
	/**
	Reads the files completely and compares them with their checksums. By default, opening does only checks that take milliseconds. In a
	container file, such as a passage store or a vector index, it compares only the sections that have at most 16 MiB. In a BM25 index, it
	compares all files if they have at most 64 MiB in total, or else only the files that searches read, if those have at most 64 MiB in total.
	Damage elsewhere may cause wrong results or errors in later calls. The method `verify()` does the full check at any later time.
	@default false
	*/
	readonly verify?: boolean | undefined;
}

/** The option names of `OpenOptions`, for calls that spread them into their own option names. */
export const openOptionNames = {inMemory: true, verify: true} as const;

/** `OpenOptions` with the defaults. */
export interface CheckedOpenOptions {
	readonly inMemory: boolean;
	readonly verify: boolean;
}

export function checkedOpenOptions({inMemory = false, verify = false}: OpenOptions): CheckedOpenOptions {
	checkBoolean('inMemory', inMemory);
	checkBoolean('verify', verify);
	return {inMemory, verify};
}
