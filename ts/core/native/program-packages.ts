/** Finds the packages that a program has installed beside passagekit: the addon, models and peer dependencies. */
import nodeModule from 'node:module';
import {join} from 'node:path';

/** The file of this code if it is CommonJS, as a bundle may be. ES modules have no variable `__filename`. */
const commonJsFile: string | undefined = (() => {
	try {
		// Without `typeof`, because webpack replaces it with "string" in ES modules, too.
		return __filename;
	} catch {
		return undefined;
	}
})();

/**
The URL or path of the file of this code. In a CommonJS bundle, there is no URL. In a bundle of webpack, the URL is that of the source file on
the machine on which the bundle was built.
*/
export const codeLocation: string = import.meta.url ?? commonJsFile ?? join(process.cwd(), 'package.json');

/**
Returns the path of a module of an installed package, or `undefined` if the package is not installed. It is looked for from the file of this
code; from the main file of the program, because a bundle may contain this code; and from the working directory, because passagekit may be
installed in a different place than the program, as with `npx`.
*/
export function resolveInProgram(request: string): string | undefined {
	for (const location of [codeLocation, commonJsFile, process.argv[1], join(process.cwd(), 'package.json')]) {
		try {
			if (location !== undefined) {
				return nodeModule.createRequire(location).resolve(request);
			}
		} catch {}
	}
	return undefined;
}
