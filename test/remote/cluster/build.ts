/**
Builds what a test node needs: the jars of OpenSearch and its k-NN plugin from Maven Central, and the class that starts a node. The
environment variable PASSAGEKIT_TEST_OPENSEARCH is the major version of OpenSearch, 2 (the default) or 3; JAVA_HOME has the JDK, if it is not
the one in PATH.
*/
import {execFile} from 'node:child_process';
import {existsSync, statSync} from 'node:fs';
import {delimiter, join} from 'node:path';
import {promisify} from 'node:util';

const run = promisify(execFile);
const folder = import.meta.dirname;

/** What differs between the major versions. Maven Central has the k-NN plugin only for these two versions. */
const releases = {
	2: {opensearch: '2.19.1', log4j: '2.21.0', jdk: 17},
	3: {opensearch: '3.5.0', log4j: '2.25.3', jdk: 21},
} as const;
const release = releases[chosenMajor()];
const target = join(folder, 'target', release.opensearch);

/** The command that starts a node. */
export const java = jdkTool('java');

/** Returns why a cluster cannot run on this machine, or `undefined` if it can. Builds what the nodes need. */
export async function missingTools(): Promise<string | undefined> {
	for (const tool of [java, jdkTool('javac'), 'mvn']) {
		try {
			await run(tool, ['-version']);
		} catch {
			return `needs ${tool}: install a JDK of version ${release.jdk} or later, and Maven`;
		}
	}
	const {stdout} = await run(jdkTool('javac'), ['-version']);
	const version = Number(/^javac (\d+)/u.exec(stdout)?.[1]);
	if (!(version >= release.jdk)) {
		return `OpenSearch ${release.opensearch} needs a JDK of version ${release.jdk} or later, and this one has version ${version}: set JAVA_HOME`;
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
		const properties = {'opensearch.version': release.opensearch, 'log4j.version': release.log4j, 'output.folder': target};
		const options = Object.entries(properties).map(([name, value]) => `-D${name}=${value}`);
		const profile = release.opensearch.startsWith('3') ? ['--activate-profiles', 'version-3'] : [];
		await run('mvn', ['--quiet', '--batch-mode', ...options, ...profile, 'package'], {cwd: folder});
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
		// Newer compilers also compile for the oldest version.
		const options = ['--release', String(release.jdk), '-cp', join(target, 'lib', '*'), '-d', join(target, 'classes')];
		await run(jdkTool('javac'), [...options, join(folder, 'TestNode.java')]);
	}
	return path;
}

/** The version of OpenSearch. */
export const engineVersion: string = release.opensearch;

function chosenMajor(): keyof typeof releases {
	const value = process.env['PASSAGEKIT_TEST_OPENSEARCH'] ?? '2';
	if (value !== '2' && value !== '3') {
		throw new Error(`PASSAGEKIT_TEST_OPENSEARCH: expected 2 or 3, got ${value}`);
	}
	return value === '2' ? 2 : 3;
}

/** Returns the command that runs a tool of the JDK. */
export function jdkTool(name: string): string {
	const home = process.env['JAVA_HOME'];
	return home === undefined || home === '' ? name : join(home, 'bin', name);
}

/** Whether a file is missing, or its content is older than that of its source. The unpacked files of a plugin keep the dates of the archive. */
function isOlder(output: string, source: string): boolean {
	return !existsSync(output) || statSync(output).ctimeMs < statSync(source).mtimeMs;
}
