/** How files of ours are opened: mapped or read, and how much of them is checked. */
import {checkBoolean} from './check.ts';

export interface OpenOptions {
	/**
	Read the files into memory, in pages as large as the system has, instead of mapping them. Opening then takes as long as
	reading does, and searches of large vector indexes are faster by up to a fifth.

	A mapped file is read when it is searched. If another program truncates it meanwhile, the system ends the process
	(SIGBUS): no error can be thrown. passagekit itself never does that to a file; it replaces or removes files, whose content
	lives as long as somebody has them open. Choose `inMemory` where other programs may write to the files, and for files on
	network drives that may go away.
	@default false
	*/
	readonly inMemory?: boolean | undefined;
	/**
	Read every file and compare it with its checksums. By default only what takes milliseconds is checked: sections of up to
	16 MiB, and a BM25 index of up to 64 MiB. Damage elsewhere shows as wrong answers or as errors of later calls, unless
	`verify()` finds it.
	@default false
	*/
	readonly verify?: boolean | undefined;
}

/** The names of `OpenOptions`, for calls that take more. */
export const openNames = {inMemory: true, verify: true} as const;

export interface CheckedOpening {
	readonly inMemory: boolean;
	readonly verify: boolean;
}

export function checkedOpening({inMemory = false, verify = false}: OpenOptions): CheckedOpening {
	checkBoolean('inMemory', inMemory);
	checkBoolean('verify', verify);
	return {inMemory, verify};
}
