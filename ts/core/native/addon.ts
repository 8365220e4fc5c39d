/** Finds this package and loads its native addon. */
import {readFileSync} from 'node:fs';
import nodeModule from 'node:module';
import {dirname, join} from 'node:path';
import {fileURLToPath} from 'node:url';
import {RetrievalError} from '../errors.ts';
import {onPathSync} from '../file-system.ts';
import {platformPackage, platformPackages} from './platform-packages.ts';
import {codeLocation, resolveInProgram} from './program-packages.ts';

/**
The folder of this package: the nearest parent folder of this file with passagekit's package.json. If a bundler has copied this file into
another program, there is no such folder, and the constant is the folder of the bundle. The addon and the models are then found in their own
npm packages.
*/
export const packageRoot: string = (() => {
	const file = codeLocation.startsWith('file:') ? fileURLToPath(codeLocation) : codeLocation;
	for (let folder = dirname(file), parent = ''; folder !== parent; parent = folder, folder = dirname(folder)) {
		try {
			if (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')).name === 'passagekit') {
				return folder;
			}
		} catch {}
	}
	return dirname(file);
})();

/** esbuild replaces this name with the version of the package. It is not declared when the source files themselves run. */
declare const PASSAGEKIT_VERSION: string;

/** The version of this package. */
export function packageVersion(): string {
	if (typeof PASSAGEKIT_VERSION === 'string') {
		return PASSAGEKIT_VERSION;
	}
	const path = join(packageRoot, 'package.json');
	const {version} = JSON.parse(onPathSync('read', path, () => readFileSync(path, 'utf8'))) as {version: string};
	return version;
}

/** Returns the platform as the names of the addon's npm packages spell it: `linux-x64-gnu`, `darwin-arm64`, `win32-x64-msvc`, … */
export function platformName(): string {
	const {platform, arch} = process;
	if (platform === 'linux') {
		return `linux-${arch}-${libc()}`;
	}
	return platform === 'win32' ? `win32-${arch}-msvc` : `${platform}-${arch}`;
}

/** Returns the C library of Node: glibc or musl. */
function libc(): 'gnu' | 'musl' {
	const reporter = process.report as (NodeJS.ProcessReport & {excludeNetwork?: boolean}) | undefined;
	if (reporter === undefined) {
		return 'musl';
	}
	// Without this setting, the report looks up the host names of all peers that the process is connected to, and waits for the answers.
	const {excludeNetwork = false} = reporter;
	reporter.excludeNetwork = true;
	try {
		const report = reporter.getReport() as {header?: {glibcVersionRuntime?: string}};
		return report.header?.glibcVersionRuntime ? 'gnu' : 'musl';
	} finally {
		reporter.excludeNetwork = excludeNetwork;
	}
}

/** Loads the addon that this checkout built, or else the npm package for this platform. Fails with `ERR_NATIVE_MISSING` if neither loads. */
export function loadAddon(): unknown {
	const require = nodeModule.createRequire(codeLocation);
	const platform = platformName();
	const packageName = platformPackage(platform);
	const file = join(packageRoot, 'native', `passagekit.${platform}.node`);
	const loadPackage = platformPackages[platform];
	/** The messages of the candidates that exist and do not load. */
	const failures = new Map<string, string>();
	const loadFromProgram = (): unknown => {
		const path = resolveInProgram(packageName, {native: true});
		return path === undefined ? undefined : require(path);
	};
	for (const [candidate, load] of [
		[file, () => require(file)],
		[packageName, loadPackage],
		[packageName, loadFromProgram],
	] as const) {
		try {
			const addon = failures.has(candidate) ? undefined : load?.();
			if (addon !== undefined) {
				return addon;
			}
		} catch (error) {
			const {code, message} = error as NodeJS.ErrnoException;
			// If the package exists but lacks a file, the error has the same code, but its message names another file.
			if (code !== 'MODULE_NOT_FOUND' || !message.includes(`'${candidate}'`)) {
				failures.set(candidate, message);
			}
		}
	}
	const install = loadPackage
		? `Install it with \`npm install ${packageName}\`, or run \`npm run build\` in a checkout of passagekit.`
		: `There is no package for this platform, only for ${Object.keys(platformPackages).join(', ')}; \`npm run build\` in a checkout of passagekit may build one.`;
	const subject = `the native addon for ${platform} (Node ${process.versions.node})`;
	throw new RetrievalError(
		'ERR_NATIVE_MISSING',
		failures.size === 0
			? `${subject} is not installed. ${install}`
			: `${subject} is installed and does not load: ${[...failures].map(([candidate, message]) => `${candidate}: ${message}`).join('; ')}. It may be for another platform, or need a newer C library. ${install}`,
	);
}
