// Code shared by the servers that run in Node: the request loop (one line of JSON per request, one per reply), access to
// the packages that `setup-node` installed for a peer, and CPU time.
import {readFileSync} from 'node:fs';
import {createRequire} from 'node:module';
import {join} from 'node:path';
import {createInterface} from 'node:readline';

/** `require` for the packages that `setup-node` installed for the peer; undefined in a server of passagekit itself. */
export const requirePeer = process.env.QPS_PACKAGES && createRequire(join(process.env.QPS_PACKAGES, 'package.json'));

/** Returns the version of a package that `setup-node` installed. */
export const versionOf = name =>
	JSON.parse(readFileSync(join(process.env.QPS_PACKAGES, 'node_modules', name, 'package.json'), 'utf8')).version;

/** Returns the CPU time of the process since `start`, a result of `process.cpuUsage()`, in nanoseconds. */
export function cpuNanos(start) {
	const {user, system} = process.cpuUsage(start);
	return (user + system) * 1000;
}

/**
Answers requests until the input ends. `handlers` has an async function per verb, which takes the request and returns
the reply. If it throws, the reply is `{"error"}`.
*/
export async function answer(handlers) {
	for await (const line of createInterface({input: process.stdin})) {
		const request = JSON.parse(line);
		const reply = await handlers[request.verb](request).catch(error => ({error: String(error).slice(0, 1000)}));
		process.stdout.write(`${JSON.stringify(reply)}\n`);
	}
}
