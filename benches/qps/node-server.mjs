// What the servers on Node have in common: a peer's packages, and one JSON reply a line for one JSON request a line.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

/** Loads a package that a peer was set up with. */
export const packages = process.env.QPS_PACKAGES && createRequire(join(process.env.QPS_PACKAGES, 'package.json'));

export const versionOf = name =>
	JSON.parse(readFileSync(join(process.env.QPS_PACKAGES, 'node_modules', name, 'package.json'), 'utf8')).version;

/** That the process ran since `process.cpuUsage()` gave `since`. */
export function cpuNanos(since) {
	const {user, system} = process.cpuUsage(since);
	return (user + system) * 1000;
}

/** Answers by the function of a request's verb, until the input ends. */
export async function answer(verbs) {
	for await (const line of createInterface({input: process.stdin})) {
		const request = JSON.parse(line);
		const reply = await verbs[request.verb](request).catch(error => ({error: String(error).slice(0, 1000)}));
		process.stdout.write(`${JSON.stringify(reply)}\n`);
	}
}
