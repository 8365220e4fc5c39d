#!/usr/bin/env node
// The executable `passagekit`. It runs the compiled command line. In a fresh checkout of the repository, it first compiles it.
import {existsSync} from 'node:fs';

const main = new URL('../dist/ts/cli/main.js', import.meta.url);
if (!existsSync(main)) {
	const {prepare} = await import('../scripts/prepare.mjs');
	await prepare();
}
const {run} = await import(main.href);
process.exitCode = await run(process.argv);
