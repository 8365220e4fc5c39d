/** The npm packages that contain the addon, one for each platform. */
import module from 'node:module';
import {codeLocation} from './program-packages.ts';

// `createRequire` is not imported by name, because webpack would then replace these calls, and look for the packages of all platforms. `@vercel/nft`
// follows only calls of the form `module.createRequire`. esbuild renames `module` if several modules of a bundle import it; the tests of the tracer
// detect that.
const require = module.createRequire(codeLocation);

/**
For each platform, a function that loads its package. The names are literals, so that tools that trace a program's files, such as
`@vercel/nft`, find the package that is installed.
*/
export const platformPackages: Readonly<Partial<Record<string, () => unknown>>> = {
	'darwin-arm64': () => require('@passagekit/native-darwin-arm64'),
	'darwin-x64': () => require('@passagekit/native-darwin-x64'),
	'linux-arm64-gnu': () => require('@passagekit/native-linux-arm64-gnu'),
	'linux-arm64-musl': () => require('@passagekit/native-linux-arm64-musl'),
	'linux-x64-gnu': () => require('@passagekit/native-linux-x64-gnu'),
	'linux-x64-musl': () => require('@passagekit/native-linux-x64-musl'),
	'win32-arm64-msvc': () => require('@passagekit/native-win32-arm64-msvc'),
	'win32-x64-msvc': () => require('@passagekit/native-win32-x64-msvc'),
};

/** Returns the name of a platform's package. */
export function platformPackage(platform: string): string {
	return `@passagekit/native-${platform}`;
}
