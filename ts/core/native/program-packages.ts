/** Finds the packages that a program has installed beside passagekit: the addon, models and peer dependencies. */
import {realpathSync} from 'node:fs';
import nodeModule from 'node:module';
import {join} from 'node:path';

/** A path in the working directory. */
const inWorkingDirectory = join(process.cwd(), 'package.json');

/** The path of this file if it runs as CommonJS, for example in a CommonJS bundle. In an ES module, reading `__filename` fails. */
const commonJsFile: string | undefined = (() => {
	try {
		// Without `typeof`, because webpack replaces it with "string" in ES modules, too.
		return __filename;
	} catch {
		return undefined;
	}
})();

/**
The location of the running code: a path in CommonJS, and a URL in an ES module. In an ES module that webpack built, it is the URL that the
source file had when the bundle was built; if that is not a URL of this system, the location is the program's main file. Code without a file, as
in `node --eval`, has the working directory as its location.
*/
export const codeLocation: string =
	[commonJsFile, import.meta.url, mainFile()].find(location => location !== undefined && isUsable(location)) ?? inWorkingDirectory;

/**
Returns the path of a module of an installed package, or `undefined` if the package is not installed. Searches from the location of the running
code; from the program's main file, because a bundler may have moved this code; and, unless `native` is true, from the working directory, because
`npx` installs passagekit outside the program. Native code is not loaded from the working directory, which may contain files of strangers.
*/
export function resolveInProgram(request: string, {native = false} = {}): string | undefined {
	for (const location of [codeLocation, mainFile(), ...(native ? [] : [inWorkingDirectory])]) {
		try {
			if (location !== undefined) {
				return nodeModule.createRequire(location).resolve(request);
			}
		} catch {}
	}
	return undefined;
}

/** Returns the path of the program's main file, or `undefined` if there is none. */
function mainFile(): string | undefined {
	try {
		return realpathSync(process.argv[1] ?? '');
	} catch {
		return undefined;
	}
}

/** Returns whether packages can be resolved from a path or URL: not if it is a URL of another system. */
function isUsable(location: string): boolean {
	try {
		nodeModule.createRequire(location);
		return true;
	} catch {
		return false;
	}
}
