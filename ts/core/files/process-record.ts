/** Tells whether a recorded process still runs, even if its id was reused or it ran on another machine. */
import {readFileSync, readlinkSync} from 'node:fs';
import {hostname} from 'node:os';

/** Identifies a process uniquely. The optional fields are available on Linux only. */
export interface ProcessRecord {
	readonly pid: number;
	readonly host: string;
	/** The kernel's boot id, which changes at every boot. */
	readonly boot?: string | undefined;
	/** The PID namespace that the id belongs to: containers have their own. */
	readonly namespace?: string | undefined;
	/** Start time of the process, in clock ticks since boot. */
	readonly started?: string | undefined;
}

export function thisProcess(): ProcessRecord {
	return {pid: process.pid, host: hostname(), boot: boot(), namespace: namespace(), started: startOf(process.pid)};
}

/** Whether the process has ended; `undefined` if it is on another machine or in another PID namespace. */
export function hasEnded(record: ProcessRecord): boolean | undefined {
	if (record.host !== hostname()) {
		return undefined;
	}
	if (record.boot !== undefined && record.boot !== boot()) {
		return true;
	}
	if (record.namespace !== namespace()) {
		return undefined;
	}
	if (!isRunning(record.pid)) {
		return true;
	}
	const started = startOf(record.pid);
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

function boot(): string | undefined {
	return known(() => readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim());
}

function namespace(): string | undefined {
	return known(() => readlinkSync('/proc/self/ns/pid'));
}

function startOf(pid: number): string | undefined {
	// The second field, a name in parentheses, may contain spaces and parentheses; the start time is the 22nd field.
	return known(() => /^.*\) (?:\S+ ){19}(\d+)/su.exec(readFileSync(`/proc/${pid}/stat`, 'utf8'))?.[1]);
}

function known(read: () => string | undefined): string | undefined {
	try {
		return read();
	} catch {
		return undefined;
	}
}
