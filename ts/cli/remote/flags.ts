/** The flags with which commands reach an OpenSearch cluster. Credentials come from the environment, so that no list of processes shows them. */
import {readFile} from 'node:fs/promises';
import type {Command} from 'commander';
import {onPath} from '../../core/file-system.ts';
import {OpenSearchCollection, type OpenSearchOpenOptions, type RemoteAuth, type RemoteOptions} from '../../remote/index.ts';
import {UsageError} from '../errors.ts';
import {names} from '../options.ts';

/** The parsed flags. */
export interface RemoteFlags {
	readonly url?: string[];
	readonly index?: string;
	readonly ca?: string;
	readonly awsRegion?: string;
}

/** The environment variables with the credentials. */
const variables = {username: 'OPENSEARCH_USERNAME', password: 'OPENSEARCH_PASSWORD', apiKey: 'OPENSEARCH_API_KEY'} as const;

/** Adds the flags to a command that also works without a cluster. */
export function addRemoteFlags(command: Command): Command {
	return addConnectionFlags(
		command
			.option('--url <addresses>', 'search an index of an OpenSearch cluster: the address of a node, or several with commas', names)
			.option('--index <name>', 'with --url: the name of the index, or of an alias'),
	);
}

/** Adds the flags for certificates and credentials. */
export function addConnectionFlags(command: Command): Command {
	return command
		.option('--ca <file>', "the certificates of the authorities that sign the cluster's certificate, as PEM (default: those of Node)")
		.option(
			'--aws-region <name>',
			`sign requests for this region of AWS; other credentials are in ${variables.username} and ${variables.password}, or in ${variables.apiKey}`,
		);
}

/** Fails if only some of the flags were given, or flags that have no effect with `--url`. */
export function checkRemoteFlags(name: string, flags: RemoteFlags, command: Command, others: readonly string[]): void {
	if (flags.url === undefined) {
		const given = (['index', 'ca', 'awsRegion'] as const).find(flag => flags[flag] !== undefined);
		if (given !== undefined) {
			throw new UsageError(`${name}: --${given === 'awsRegion' ? 'aws-region' : given} needs --url URL`);
		}
		return;
	}
	if (flags.index === undefined) {
		throw new UsageError(`${name}: --url needs --index NAME`);
	}
	const other = others.find(option => command.getOptionValueSource(option) === 'cli');
	if (other !== undefined) {
		throw new UsageError(`${name}: --${other} has no effect with --url, which names an index of a cluster`);
	}
}

/** Opens the index that the flags name. */
export async function openRemote(
	name: string,
	flags: RemoteFlags,
	options: Omit<OpenSearchOpenOptions, keyof RemoteOptions>,
): Promise<OpenSearchCollection> {
	if (flags.url === undefined || flags.index === undefined) {
		throw new UsageError(`${name}: expected --url URL and --index NAME`);
	}
	return OpenSearchCollection.open(flags.index, {...(await connectionOf(flags.url, flags)), ...options});
}

/** Returns the options of a connection: the addresses, the certificates, and the credentials in the environment. */
export async function connectionOf(url: readonly string[], {ca, awsRegion}: Pick<RemoteFlags, 'ca' | 'awsRegion'>): Promise<RemoteOptions> {
	const auth = authOf(awsRegion);
	return {
		url,
		...(auth === undefined ? {} : {auth}),
		...(ca === undefined ? {} : {tls: {ca: await onPath('read', ca, async () => readFile(ca, 'utf8'))}}),
	};
}

function authOf(awsRegion: string | undefined): RemoteAuth | undefined {
	const {env} = process;
	if (awsRegion !== undefined) {
		const {AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken} = env;
		// Without these variables, the client asks the AWS SDK, if it is installed.
		const keys = accessKeyId && secretAccessKey ? {accessKeyId, secretAccessKey, sessionToken} : undefined;
		return {type: 'sigv4', region: awsRegion, ...(keys === undefined ? {} : {credentials: async () => keys})};
	}
	const apiKey = env[variables.apiKey];
	if (apiKey) {
		return {type: 'apiKey', apiKey};
	}
	const username = env[variables.username];
	return username ? {type: 'basic', username, password: env[variables.password] ?? ''} : undefined;
}
