/** How files are written by TypeScript: each of them through `replaceFile`. */
import {callNative, native} from './native.ts';
import type {CallOptions} from './types.ts';

/**
Writes a file, whole or not at all: beside its place first, then renamed. Symbolic links are followed and stay; the file
replaced passes its mode on, and its owner and group where the system permits. A FIFO, a character device or `/dev/fd/N`
gets the content as it is; the signal ends the wait for a reader. Fails with `ERR_IO` for a folder, a block device, a
socket or a loop of links, and where the system refuses.
*/
export async function replaceFile(path: string, content: string | Uint8Array, {signal}: CallOptions = {}): Promise<void> {
	const bytes = typeof content === 'string' ? Buffer.from(content) : content;
	await callNative({signal}, control => native.writeFile(path, bytes, control));
}
