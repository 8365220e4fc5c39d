/** A lock file, by which only one process at a time downloads a model. It needs no support for locks in the file system. */
import {randomUUID} from 'node:crypto';
import {type FileHandle, link, open, readFile, rename, rm} from 'node:fs/promises';
import {hostname} from 'node:os';
import {onPath, pathError} from '../core/file-system.ts';
import {pause} from './pause.ts';

/** Interval of the holder's heartbeat. */
const BEAT_MS = 1000;
/** A lock is broken after this time without a heartbeat if its holder was a process of this machine that has ended. */
const DEAD_MS = 2500;
/** Any lock is broken after this time without a heartbeat. It is long enough for a holder with a blocked event loop. */
const SILENT_MS = 15_000;
const POLL_MS = 50;

/**
Runs `work` while holding the lock file `path`. The lock excludes other calls in this process, other processes, and other machines
that share the folder. Waits for the current holder, and breaks the lock of a holder that ended without releasing it.
*/
export async function whileLocked<T>(path: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
	const file = await take(path, signal);
	const holder = `${JSON.stringify({pid: process.pid, host: hostname(), id: randomUUID()})}\n`;
	// The heartbeat appends to the file. Waiting processes thus need neither a common clock nor file times to see that we are alive.
	let written = file.writeFile(holder).catch(() => {});
	const beat = setInterval(() => {
		written = written.then(async () => file.writeFile('.')).catch(() => {});
	}, BEAT_MS);
	beat.unref();
	try {
		return await work();
	} finally {
		clearInterval(beat);
		await written;
		await file.close();
		const now = await readFile(path, 'utf8').catch(() => '');
		// Another process has broken our lock if the heartbeat stopped for too long. The file is empty if the disk was full.
		if (now.startsWith(holder) || now === '') {
			await rm(path, {force: true}).catch(() => {});
		}
	}
}

async function take(path: string, signal: AbortSignal | undefined): Promise<FileHandle> {
	let seen: string | undefined;
	let since = performance.now();
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
		if (text !== seen) {
			seen = text;
			since = performance.now();
		} else if (performance.now() - since > (hasEnded(text) ? DEAD_MS : SILENT_MS)) {
			await takeAway(path, text);
			continue;
		}
		await pause(POLL_MS, signal);
	}
}

/** Breaks the lock that has this text. If several processes try, only one succeeds, because only one rename does. */
async function takeAway(path: string, text: string): Promise<void> {
	const aside = `${path}.${randomUUID()}`;
	try {
		await rename(path, aside);
	} catch {
		return;
	}
	if ((await readFile(aside, 'utf8').catch(() => '')) !== text) {
		// Another process has already broken the lock and taken it: put its file back.
		await link(aside, path).catch(() => {});
	}
	await onPath('remove', aside, async () => rm(aside, {force: true}));
}

/** Whether the holder was a process of this machine that has ended. Processes of other machines and containers cannot be checked. */
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
