/** Finds the ONNX Runtime library for this platform. */
import {readFileSync, readdirSync, statSync} from 'node:fs';
import {dirname, join} from 'node:path';
import {RetrievalError} from '../core/errors.ts';
import {platformName} from '../core/native/addon.ts';
import {resolveInProgram} from '../core/native/program-packages.ts';

/** The ONNX Runtime library of this platform. */
export interface RuntimeLibrary {
	readonly path: string;
	/** Version of `onnxruntime-node`; `undefined` if the environment variable `PASSAGEKIT_ONNXRUNTIME` names the library. */
	readonly version?: string;
}

/**
Finds the library: the file that the environment variable `PASSAGEKIT_ONNXRUNTIME` names, or else the one in the optional peer
dependency `onnxruntime-node`. Fails with `ERR_PEER_MISSING` if there is no library.
*/
export function findRuntimeLibrary(): RuntimeLibrary {
	const named = process.env['PASSAGEKIT_ONNXRUNTIME'];
	if (named) {
		if (!statSync(named, {throwIfNoEntry: false})?.isFile()) {
			throw new RetrievalError(
				'ERR_PEER_MISSING',
				`PASSAGEKIT_ONNXRUNTIME: expected the path of an ONNX Runtime library, got ${named}, which is not a file`,
			);
		}
		return {path: named};
	}
	if (platformName().endsWith('-musl')) {
		throw new RetrievalError(
			'ERR_PEER_MISSING',
			'onnxruntime-node has no library for Linux with musl, such as Alpine. Run the program on Linux with glibc, such as Debian, or set PASSAGEKIT_ONNXRUNTIME to the path of an ONNX Runtime library for musl.',
		);
	}
	const manifest = peerManifest();
	if (!manifest) {
		throw new RetrievalError(
			'ERR_PEER_MISSING',
			'the package onnxruntime-node is not installed. Install it with `npm install onnxruntime-node`, or set PASSAGEKIT_ONNXRUNTIME to the path of an ONNX Runtime library.',
		);
	}
	const library = libraryIn(join(dirname(manifest.path), 'bin'));
	if (!library) {
		const isIntelMac = process.platform === 'darwin' && process.arch === 'x64';
		const olderVersion = isIntelMac ? ' Version 1.23 has one: `npm install onnxruntime-node@1.23`.' : '';
		throw new RetrievalError(
			'ERR_PEER_MISSING',
			`onnxruntime-node ${manifest.version} has no library for ${process.platform} ${process.arch}.${olderVersion} Set PASSAGEKIT_ONNXRUNTIME to the path of an ONNX Runtime library.`,
		);
	}
	return {path: library, version: manifest.version};
}

/**
Returns the version of `onnxruntime-node`: `undefined` if it is not installed or has no library for this platform, and `null` if the
environment variable `PASSAGEKIT_ONNXRUNTIME` names another library.
*/
export function runtimeVersion(): string | null | undefined {
	try {
		return findRuntimeLibrary().version ?? null;
	} catch (error) {
		if (error instanceof RetrievalError) {
			return undefined;
		}
		throw error;
	}
}

/** Returns the path and the version of the `package.json` of `onnxruntime-node`, if it is installed. */
function peerManifest(): {path: string; version: string} | undefined {
	const path = resolveInProgram('onnxruntime-node/package.json');
	return path === undefined ? undefined : {path, version: (JSON.parse(readFileSync(path, 'utf8')) as {version: string}).version};
}

/** Finds a file such as `napi-v6/linux/x64/libonnxruntime.so.1` in the folder `bin`, for any version numbers. */
function libraryIn(bin: string): string | undefined {
	const pattern =
		{
			win32: /^onnxruntime\.dll$/u,
			darwin: /^libonnxruntime\..*dylib$/u,
		}[process.platform as string] ?? /^libonnxruntime\.so(\.\d+)*$/u;
	// The folders are named after versions of Node-API. The newest one comes first.
	for (const abi of list(bin).sort((a, b) => b.localeCompare(a, 'en', {numeric: true}))) {
		const folder = join(bin, abi, process.platform, process.arch);
		const file = list(folder)
			.sort()
			.find(name => pattern.test(name));
		if (file) {
			return join(folder, file);
		}
	}
	return undefined;
}

/** Returns the names in a folder; none if the folder cannot be read. */
function list(folder: string): string[] {
	try {
		return readdirSync(folder);
	} catch {
		return [];
	}
}
