/** Builds what a test node needs: the jars of OpenSearch and its k-NN plugin from Maven Central, and the class that starts a node. */
import {execFile} from 'node:child_process';
import {existsSync, readdirSync, statSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {promisify} from 'node:util';

const run = promisify(execFile);
const folder = import.meta.dirname;
const target = join(folder, 'target');

/** Returns why a cluster cannot run on this machine, or `undefined` if it can. */
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
	return undefined;
}

/** Builds if a source is newer than the last build, and returns the class path. Maven downloads the jars the first time (54 MB). */
export async function classPath(): Promise<string> {
	const jars = join(target, 'knn', 'plugin-descriptor.properties');
	if (isOlder(jars, join(folder, 'pom.xml'))) {
		await run('mvn', ['--quiet', '--batch-mode', 'package'], {cwd: folder});
	}
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
