import {randomUUID} from 'node:crypto';
import {type FileHandle, link, open, readFile, rename, rm} from 'node:fs/promises';
import {hostname} from 'node:os';
import {onPath, pathError} from '../core/file-system.ts';
import {pause} from './pause.ts';

/** How often a holder shows that it lives. */
const BEAT_MS = 1000;
/** Silence after which a holder is given up whose process is not to be found on this machine. */
const DEAD_MS = 2500;
/** Silence after which any holder is given up; a busy event loop must not look like it. */
const SILENT_MS = 15_000;
const POLL_MS = 50;

/**
Does `work` while the file `path` is ours alone, among the calls of this process, other processes, and other machines that
share the folder. Waits for the holder, and takes over from one that has ended without giving the lock back.
*/
export async function whileLocked<T>(path: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
	const file = await take(path, signal);
	const holder = `${JSON.stringify({pid: process.pid, host: hostname(), id: randomUUID()})}\n`;
	// What a holder writes grows: others need no clock in common with ours, and no file times, to see that it lives.
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
		// Not ours any more if we were silent for too long; nor may a full disk keep us from giving it back.
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

/** Removes the lock with this text. Of many that try one succeeds, since renaming does. */
async function takeAway(path: string, text: string): Promise<void> {
	const aside = `${path}.${randomUUID()}`;
	try {
		await rename(path, aside);
	} catch {
		return;
	}
	if ((await readFile(aside, 'utf8').catch(() => '')) !== text) {
		// Somebody was faster, and this is their lock.
		await link(aside, path).catch(() => {});
	}
	await onPath('remove', aside, async () => rm(aside, {force: true}));
}

/** Whether the holder is a process of this machine that is not there; one of another machine or container may live. */
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
