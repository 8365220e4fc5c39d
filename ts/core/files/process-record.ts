/**
Records a process, so that another process can tell later whether the recorded one has ended. The process id alone is not enough: the
system reuses ids, and machines and containers that share a folder assign them independently.
*/
import {readFileSync, readlinkSync} from 'node:fs';
import {hostname} from 'node:os';

/** Identifies a process. The optional fields are available on Linux only. */
export interface ProcessRecord {
	readonly pid: number;
	readonly host: string;
	/** The boot id of the kernel, a random number that changes at every boot. */
	readonly boot?: string | undefined;
	/** The PID namespace in which `pid` is valid: every container has its own. */
	readonly namespace?: string | undefined;
	/** Start time of the process, in clock ticks since boot. */
	readonly started?: string | undefined;
}

/** Returns the record of this process. */
export function thisProcess(): ProcessRecord {
	return {pid: process.pid, host: hostname(), boot: bootId(), namespace: pidNamespace(), started: startTimeOf(process.pid)};
}

/** Whether the process has ended; `undefined` if it is on another machine or in another PID namespace. */
export function hasEnded(record: ProcessRecord): boolean | undefined {
	if (record.host !== hostname()) {
		return undefined;
	}
	if (record.boot !== undefined && record.boot !== bootId()) {
		return true;
	}
	if (record.namespace !== pidNamespace()) {
		return undefined;
	}
	if (!isRunning(record.pid)) {
		return true;
	}
	const started = startTimeOf(record.pid);
	// If the start times differ, another process has the same id now.
	return record.started !== undefined && started !== undefined && started !== record.started;
}

/** Whether this machine has a process with this id. */
export function isRunning(pid: number): boolean {
	try {
		process.kill(pid, 0);
		return true;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code !== 'ESRCH';
	}
}

/** Parses a record from JSON; `undefined` if it is invalid. */
export function parsedRecord(text: string): ProcessRecord | undefined {
	try {
		const record = JSON.parse(text) as Partial<ProcessRecord> | null;
		return typeof record?.host === 'string' && Number.isInteger(record.pid) ? (record as ProcessRecord) : undefined;
	} catch {
		return undefined;
	}
}

function bootId(): string | undefined {
	return unlessUnavailable(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

function pidNamespace(): string | undefined {
	return unlessUnavailable(() => readlinkSync('/proc/self/ns/pid'));
}

function startTimeOf(pid: number): string | undefined {
	// The second field, a name in parentheses, may contain spaces and parentheses; the start time is the 22nd field.
	return unlessUnavailable(() => /^.*\) (?:\S+ ){19}(\d+)/su.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
}

/** Returns what `read` returns, or `undefined` if it throws because the system does not have the file. */
function unlessUnavailable(read: () => string | undefined): string | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
