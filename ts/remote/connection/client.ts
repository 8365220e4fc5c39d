/** Loads the official OpenSearch client, an optional peer dependency, and creates a client of a cluster. */
import module from 'node:module';
import {RetrievalError} from '../../core/errors.ts';
import {resolveInProgram} from '../../core/native/program-packages.ts';
import type {CheckedRemote, OpenSearchClient, RemoteAuth} from './options.ts';

const PACKAGE = '@opensearch-project/opensearch';

interface ClientModule {
	readonly Client: new (options: Record<string, unknown>) => OpenSearchClient;
}

interface AwsModule {
	readonly AwsSigv4Signer: (options: Record<string, unknown>) => Record<string, unknown>;
}

/** Creates a client. Fails with `ERR_PEER_MISSING` if the official client is not installed. */
export function createClient({urls, auth, tls, maxConnections, timeoutMs}: CheckedRemote): OpenSearchClient {
	const {Client} = load<ClientModule>(PACKAGE);
	return new Client({
		nodes: [...urls],
		// `Connection` repeats requests itself, with waits and only where a repetition cannot do harm.
		maxRetries: 0,
		requestTimeout: timeoutMs,
		agent: {keepAlive: true, maxSockets: maxConnections, maxFreeSockets: maxConnections, keepAliveMsecs: 1000},
		...(tls === undefined ? {} : {ssl: {...tls}}),
		...authentication(auth),
	});
}

/** Returns the options of the client for the credentials. */
function authentication(auth: RemoteAuth | undefined): Record<string, unknown> {
	switch (auth?.type) {
		case undefined: {
			return {};
		}
		case 'basic': {
			return {auth: {username: auth.username, password: auth.password}};
		}
		case 'apiKey': {
			return {headers: {authorization: `ApiKey ${auth.apiKey}`}};
		}
		case 'sigv4': {
			const {region, service = 'es', credentials} = auth;
			const {AwsSigv4Signer} = load<AwsModule>(`${PACKAGE}/aws`);
			return AwsSigv4Signer({region, service, ...(credentials === undefined ? {} : {getCredentials: credentials})});
		}
	}
}

/** Loads a module of the peer dependency. */
function load<T>(name: string): T {
	const path = resolveInProgram(name);
	if (path === undefined) {
		const isInstalled = resolveInProgram(PACKAGE) !== undefined;
		throw new RetrievalError(
			'ERR_PEER_MISSING',
			isInstalled
				? `the installed version of ${PACKAGE} has no module ${name}. Install version 3 or later with \`npm install ${PACKAGE}@latest\`.`
				: `the package ${PACKAGE} is not installed. Install it with \`npm install ${PACKAGE}\`.`,
		);
	}
	try {
		return module.createRequire(path)(path) as T;
	} catch (error) {
		throw new RetrievalError('ERR_PEER_MISSING', `the package ${PACKAGE} does not load: ${(error as Error).message}`, {cause: error});
	}
}
