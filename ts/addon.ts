import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {RetrievalError} from './errors.ts';

/** The package's own folder: where its package.json is, above this file in the sources as in the build. */
export const packageRoot: string = (() => {
	let folder = dirname(fileURLToPath(import.meta.url));
	for (;;) {
		try {
			if (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name === 'passagekit') {
				return folder;
			}
		} catch {}
		const parent = dirname(folder);
		if (parent === folder) {
			throw new RetrievalError('ERR_INTERNAL', 'passagekit cannot find its own package.json');
		}
		folder = parent;
	}
})();

/** `linux-x64-gnu`, `darwin-arm64`, `win32-x64-msvc`, …: as the addon's packages are named. */
export function platformName(): string {
	const {platform, arch} = process;
	if (platform === 'linux') {
		return `linux-${arch}-${libc()}`;
	}
	return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`;
}

function libc(): 'gnu' | 'musl' {
	const report = process.report?.getReport() as {header?: {glibcVersionRuntime?: string}} | undefined;
	return report?.header?.glibcVersionRuntime ? 'gnu' : 'musl';
}

/** Loads the addon: the one built in this checkout, else the platform's package. */
export function loadAddon(): unknown {
	const require = createRequire(import.meta.url);
	const platform = platformName();
	const candidates = [join(packageRoot, 'native', `passagekit.${platform}.node`), `@passagekit/${platform}`];
	const failures: string[] = [];
	for (const candidate of candidates) {
		try {
			return require(candidate);
		} catch (error) {
			const {code, message} = error as NodeJS.ErrnoException;
			failures.push(`${candidate}: ${code === 'MODULE_NOT_FOUND' ? 'not installed' : message}`);
		}
	}
	const mend =
		process.platform === 'linux' || process.platform === 'darwin' || process.platform === 'win32'
			? `Install it with \`npm install @passagekit/native-${platform}\`, or run \`npm run build\` in a checkout of passagekit.`
			: 'There is no addon for this platform; `npm run build` in a checkout of passagekit may make one.';
	throw new RetrievalError(
		'ERR_NATIVE_MISSING',
		`the native addon for ${platform} (Node ${process.versions.node}) did not load. ${mend} Tried: ${failures.join('; ')}`,
	);
}
