/** Writes whole files atomically: reports, figures, manifests and stored results. */
import {callNative, native} from '../native/native.ts';
import type {CallOptions} from '../types.ts';

/**
Writes a file atomically: writes a temporary file next to `path` and renames it. Symbolic links are followed and kept. The new file has
the mode of the file that it replaces, and its owner and group where the system permits. If `path` is a FIFO, a character device or
`/dev/fd/N`, the content is written to it directly; aborting `signal` ends the wait for the reader of a FIFO. Fails with `ERR_IO` for a
folder, a block device, a socket or a loop of links, and on any other system error.
*/
export async function replaceFile(path: string, content: string | Uint8Array, {signal}: CallOptions = {}): Promise<void> {
	const bytes = typeof content === 'string' ? Buffer.from(content) : content;
	await callNative({signal}, control => native.writeFile(path, bytes, control));
}
