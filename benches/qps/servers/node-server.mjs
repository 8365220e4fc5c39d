// Code shared by the servers that run in Node: the request loop (one line of JSON per request, one per reply), access to
// the packages that `setup-node` installed for a peer (a system that passagekit is compared with), and CPU time.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

/** A `require` function for the packages that `setup-node` installed for the peer. Undefined in passagekit's own servers. */
export const requirePeer = process.env.QPS_PACKAGES && createRequire(join(process.env.QPS_PACKAGES, 'package.json'));

/** Returns the version of a package that `setup-node` installed. */
export const versionOf = name =>
	JSON.parse(readFileSync(join(process.env.QPS_PACKAGES, 'node_modules', name, 'package.json'), 'utf8')).version;

/** Returns the CPU time of the process in nanoseconds since `start`, which is an earlier result of `process.cpuUsage()`. */
export function cpuNanos(start) {
	const {user, system} = process.cpuUsage(start);
	return (user + system) * 1000;
}

/**
Answers requests until the input ends. `handlers` has an async function per verb, which takes the request and returns
the reply. If the function throws, the reply is `{"error": message}`.
*/
export async function answer(handlers) {
	for await (const line of createInterface({input: process.stdin})) {
		const request = JSON.parse(line);
		const reply = await handlers[request.verb](request).catch(error => ({error: String(error).slice(0, 1000)}));
		process.stdout.write(`${JSON.stringify(reply)}\n`);
	}
}
