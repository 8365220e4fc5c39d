/** Builds what a test node needs: the jars of OpenSearch and its k-NN plugin from Maven Central, and the class that starts a node. */
import {execFile} from 'node:child_process';
import {existsSync, readdirSync, statSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {promisify} from 'node:util';

const run = promisify(execFile);
const folder = import.meta.dirname;
const target = join(folder, 'target');

/** Returns why a cluster cannot run on this machine, or `undefined` if it can. Builds what the nodes need. */
export async function missingTools(): Promise<string | undefined> {
	for (const [tool, flag] of [
		['java', '-version'],
		['javac', '-version'],
		['mvn', '-version'],
	] as const) {
		try {
			await run(tool, [flag]);
		} catch {
			return `needs ${tool}: install a JDK of version 17 or later, and Maven`;
		}
	}
	return missingJars();
}

/** Lets Maven download the jars (54 MB) unless it did, and returns why it cannot. */
async function missingJars(): Promise<string | undefined> {
	const jars = join(target, 'knn', 'plugin-descriptor.properties');
	if (!isOlder(jars, join(folder, 'pom.xml'))) {
		return undefined;
	}
	try {
		await run('mvn', ['--quiet', '--batch-mode', 'package'], {cwd: folder});
		return undefined;
	} catch (error) {
		const {stdout = '', message} = error as Error & {readonly stdout?: string};
		const output = stdout === '' ? message : stdout;
		if (/Could not transfer|UnknownHost|Unknown host|Connection (?:refused|timed out|reset)|Network is unreachable|offline/u.test(output)) {
			return `needs jars of OpenSearch, which Maven could not download: ${/^.*(?:transfer|host|Connection|Network|offline).*$/mu.exec(output)?.[0].slice(0, 300)}`;
		}
		// The build itself is wrong, which must not go unnoticed.
		throw error;
	}
}

/** Compiles the class that starts a node if it is older than its source, and returns the class path. `missingTools` must have returned. */
export async function classPath(): Promise<string> {
	const path = [join(target, 'classes'), join(target, 'lib', '*'), join(target, 'knn', '*')].join(delimiter);
	if (isOlder(join(target, 'classes', 'TestNode.class'), join(folder, 'TestNode.java'))) {
		// `javac` of newer versions also compiles for 17.
		await run('javac', ['--release', '17', '-cp', join(target, 'lib', '*'), '-d', join(target, 'classes'), join(folder, 'TestNode.java')]);
	}
	return path;
}

/** The version of OpenSearch that Maven downloaded. */
export function engineVersion(): string {
	const jar = readdirSync(join(target, 'lib')).find(name => /^opensearch-\d+\.\d+\.\d+\.jar$/u.test(name))!;
	return jar.slice('opensearch-'.length, -'.jar'.length);
}

/** Whether a file is missing, or its content is older than that of its source. The unpacked files of a plugin keep the dates of the archive. */
function isOlder(output: string, source: string): boolean {
	return !existsSync(output) || statSync(output).ctimeMs < statSync(source).mtimeMs;
}
