#!/usr/bin/env node
import {existsSync} from 'node:fs';

const main = new URL('../dist/ts/cli/main.js', import.meta.url);
if (!existsSync(main)) {
	// A checkout that was not built yet.
	const {prepare} = await import('../scripts/prepare.mjs');
	await prepare();
}
const {run} = await import(main.href);
process.exitCode = await run(process.argv);
