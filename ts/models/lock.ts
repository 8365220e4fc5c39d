/**
A lock file that lets only one process at a time download a model, or train in an output folder. It does not use file locks of the operating system, which some network
file systems lack: the file exists while the lock is held, and its holder appends to it every second as a heartbeat.
*/
import {randomUUID} from 'node:crypto';
import {type FileHandle, link, open, readFile, rename, rm} from 'node:fs/promises';
import {hostname} from 'node:os';
import {RetrievalError} from '../core/errors.ts';
import {onPath, pathError} from '../core/file-system.ts';
import {pause} from './pause.ts';

/** Interval between two heartbeats of the holder. */
const HEARTBEAT_MS = 1000;
/** Time without a heartbeat after which a lock is broken if its holder was a process of this machine that has ended. */
const MAX_SILENCE_OF_ENDED_HOLDER_MS = 2500;
/** Time without a heartbeat after which any lock is broken. The time is long because the holder's event loop may be blocked. */
const MAX_SILENCE_MS = 15_000;
/** Interval at which a waiting process reads the lock file. */
const POLL_MS = 50;

/**
Runs `work` while holding the lock file `path`. The lock excludes other calls in this process, other processes, and other machines
that share the folder. `work` gets a function that fails with `ERR_IO` if another process has broken the lock meanwhile. Waits for the current holder, and breaks the lock of a holder that ended without releasing it.
*/
export async function whileLocked<T>(
	path: string,
	signal: AbortSignal | undefined,
	work: (checkHeld: () => Promise<void>) => Promise<T>,
): Promise<T> {
	const file = await acquire(path, signal);
	const holder = `${JSON.stringify({pid: process.pid, host: hostname(), id: randomUUID()})}\n`;
	// The heartbeat changes the content of the file, so waiting processes do not need to compare clocks or modification times.
	let written = file.writeFile(holder).catch(() => {});
	const heartbeat = setInterval(() => {
		written = written.then(async () => file.writeFile('.')).catch(() => {});
	}, HEARTBEAT_MS);
	heartbeat.unref();
	try {
		return await work(async () => {
			await written;
			if (!(await readFile(path, 'utf8').catch(() => '')).startsWith(holder)) {
				throw new RetrievalError(
					'ERR_IO',
					`lock ${path}: expected the lock of this process, got that of another one, which took over because this one was suspended`,
				);
			}
		});
	} finally {
		clearInterval(heartbeat);
		await written;
		await file.close();
		const currentText = await readFile(path, 'utf8').catch(() => '');
		// If the heartbeat stopped for too long, another process may have broken this lock and may hold it now. The file is then not removed.
		// If the disk was full, this process could not write its line, so an empty file is its own.
		if (currentText.startsWith(holder) || currentText === '') {
			await rm(path, {force: true}).catch(() => {});
		}
	}
}

/** Waits until the lock is free, or breaks it if its holder is silent for too long. Then creates the lock file. */
async function acquire(path: string, signal: AbortSignal | undefined): Promise<FileHandle> {
	let lastText: string | undefined;
	let changedAt = performance.now();
	for (;;) {
		signal?.throwIfAborted();
		try {
			return await open(path, 'wx');
		} catch (error) {
			if ((error as NodeJS.ErrnoException).code !== 'EEXIST') {
				throw pathError('write', path, error);
			}
		}
		const text = await readFile(path, 'utf8').catch(() => '');
		if (text !== lastText) {
			lastText = text;
			changedAt = performance.now();
		} else if (performance.now() - changedAt > (hasEnded(text) ? MAX_SILENCE_OF_ENDED_HOLDER_MS : MAX_SILENCE_MS)) {
			await breakLock(path, text);
			continue;
		}
		await pause(POLL_MS, signal);
	}
}

/**
Breaks the lock with the content `text`. If several processes try at the same time, only one succeeds, because only one can rename the
file.
*/
async function breakLock(path: string, text: string): Promise<void> {
	const aside = `${path}.${randomUUID()}`;
	try {
		await rename(path, aside);
	} catch {
		return;
	}
	if ((await readFile(aside, 'utf8').catch(() => '')) !== text) {
		// Another process broke the old lock first, and the renamed file is its new lock, so it is put back.
		await link(aside, path).catch(() => {});
	}
	await onPath('remove', aside, async () => rm(aside, {force: true}));
}

/**
Whether the holder was a process of this machine that has ended. Processes of other machines and containers cannot be checked, so they
count as running.
*/
function hasEnded(text: string): boolean {
	let holder: {readonly pid?: unknown; readonly host?: unknown};
	try {
		holder = JSON.parse(text.slice(0, text.indexOf('\n'))) as typeof holder;
	} catch {
		return false;
	}
	if (holder.host !== hostname() || typeof holder.pid !== 'number') {
		return false;
	}
	try {
		process.kill(holder.pid, 0);
		return false;
	} catch (error) {
		return (error as NodeJS.ErrnoException).code === 'ESRCH';
	}
}
