/** How to reach an OpenSearch cluster: addresses, credentials, certificates, timeouts and retries. */
import {
	checkArray,
	checkBoolean,
	checkCount,
	checkFunction,
	checkObject,
	checkOneOf,
	checkString,
	hasMethods,
	kindOf,
} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../../core/options.ts';

/** Credentials of AWS. */
export interface AwsCredentials {
	readonly accessKeyId: string;
	readonly secretAccessKey: string;
	readonly sessionToken?: string | undefined;
	/** When the credentials expire; shortly before, the client asks for new ones. */
	readonly expiration?: Date | undefined;
}

/** How requests are authenticated: by a user name and a password, by an API key, or by signatures of AWS (version 4). */
export type RemoteAuth =
	| {readonly type: 'basic'; readonly username: string; readonly password: string}
	| {readonly type: 'apiKey'; readonly apiKey: string}
	| {
			readonly type: 'sigv4';
			readonly region: string;
			/** 'es' for OpenSearch Service, 'aoss' for OpenSearch Serverless. @default 'es' */
			readonly service?: 'es' | 'aoss' | undefined;
			/** Returns the credentials. @default those that the AWS SDK finds, if it is installed */
			readonly credentials?: (() => Promise<AwsCredentials>) | undefined;
	  };

/** The settings of encrypted connections (`https://`). */
export interface RemoteTls {
	/** The certificates of the authorities that sign the cluster's certificate, as PEM. @default those that Node trusts */
	readonly ca?: string | undefined;
	/** The certificate of the client, as PEM, if the cluster asks for one. */
	readonly cert?: string | undefined;
	/** The private key of the client's certificate, as PEM. */
	readonly key?: string | undefined;
	/** `false` accepts every certificate, so anyone on the network could read and change the requests. @default true */
	readonly rejectUnauthorized?: boolean | undefined;
}

/** The part of the official client that this package uses. A `Client` of `@opensearch-project/opensearch` has it. */
export interface OpenSearchClient {
	readonly transport: {
		request(
			params: {
				readonly method: string;
				readonly path: string;
				readonly querystring?: Record<string, unknown>;
				readonly body?: string;
				readonly bulkBody?: string;
			},
			options?: {readonly requestTimeout?: number; readonly maxRetries?: number},
		): PromiseLike<{readonly body: unknown}> & {abort?(): void};
	};
	close(): PromiseLike<void>;
}

/** How to reach a cluster. */
export interface RemoteOptions {
	/** The address of a node, or of several nodes, which then share the requests: `https://search.example.com:9200`. */
	readonly url?: string | readonly string[] | undefined;
	/** A client that the caller has configured, instead of `url`, `auth`, `tls` and `maxConnections`. The caller closes it. */
	readonly client?: OpenSearchClient | undefined;
	/** @default no credentials */
	readonly auth?: RemoteAuth | undefined;
	readonly tls?: RemoteTls | undefined;
	/** Maximum number of connections per node, which are kept open and reused. @default 64 */
	readonly maxConnections?: number | undefined;
	/** Maximum time in milliseconds for one attempt of a request. @default 30000 */
	readonly timeoutMs?: number | undefined;
	/**
	How often a request is repeated if a node could not be reached or was overloaded. The wait before a retry is random, and its mean
	doubles from 100 ms up to 5 s. @default 8
	*/
	readonly maxRetries?: number | undefined;
}

/** The option names of `RemoteOptions`, for calls that spread them into their own option names. */
export const remoteNames = {
	url: true,
	client: true,
	auth: true,
	tls: true,
	maxConnections: true,
	timeoutMs: true,
	maxRetries: true,
} as const;

const authNames: Readonly<Record<RemoteAuth['type'], OptionNames>> = {
	basic: new Set(['type', 'username', 'password']),
	apiKey: new Set(['type', 'apiKey']),
	sigv4: new Set(['type', 'region', 'service', 'credentials']),
};
const tlsNames: OptionNames = optionNames<RemoteTls>({ca: true, cert: true, key: true, rejectUnauthorized: true});

/** Checks the options and adds the defaults. */
export function checkedRemote(call: string, options: RemoteOptions) {
	const {url, client, auth, tls, maxConnections = 64, timeoutMs = 30_000, maxRetries = 8} = options;
	checkCount('maxConnections', maxConnections, 1);
	checkCount('timeoutMs', timeoutMs, 1);
	checkCount('maxRetries', maxRetries, 0);
	if (client !== undefined) {
		if (!isClient(client)) {
			throw new RetrievalError('ERR_ARGUMENT', `client: expected a Client of @opensearch-project/opensearch, got ${kindOf(client)}`);
		}
		const given = Object.entries({url, auth, tls}).find(([, value]) => value !== undefined)?.[0];
		if (given !== undefined) {
			throw new RetrievalError('ERR_ARGUMENT', `${given}: expected none with the option client, which has its own settings, got one`);
		}
		return {client, urls: [], auth, tls, maxConnections, timeoutMs, maxRetries};
	}
	if (url === undefined) {
		throw new RetrievalError('ERR_ARGUMENT', `${call}: expected the option url, such as "https://localhost:9200", or client, got neither`);
	}
	const urls = typeof url === 'string' ? [url] : url;
	checkArray('url', urls, 'addresses such as "https://localhost:9200"');
	if (urls.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'url: expected at least one address, got none');
	}
	for (const one of urls) {
		checkUrl(one);
	}
	checkAuth(auth);
	checkTls(tls);
	return {client, urls, auth, tls, maxConnections, timeoutMs, maxRetries};
}

/** The options with their defaults. */
export type CheckedRemote = ReturnType<typeof checkedRemote>;

function checkUrl(url: unknown): void {
	checkString('url', url);
	const parsed = URL.canParse(url) ? new URL(url) : undefined;
	// An address with "@" may have a password, wherever a URL parser divides it: a password may contain "/", "#" or another "@".
	if (url.includes('@')) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`url: expected an address without "@" and a password, because addresses are shown in messages, got one that ends in "${url.slice(url.lastIndexOf('@') + 1)}"; pass auth: {type: 'basic', username, password}`,
		);
	}
	if (parsed === undefined || !['http:', 'https:'].includes(parsed.protocol)) {
		throw new RetrievalError('ERR_ARGUMENT', `url: expected an address such as "https://localhost:9200", got "${url}"`);
	}
}

function checkAuth(auth: unknown): void {
	if (auth === undefined) {
		return;
	}
	checkObject('auth', auth, "credentials such as {type: 'basic', username, password}");
	checkOneOf('auth: type', auth['type'], Object.keys(authNames) as Array<RemoteAuth['type']>);
	checkRequiredOptions('auth', auth, authNames[auth['type']]);
	const given = auth as unknown as RemoteAuth;
	switch (given.type) {
		case 'basic': {
			checkString('auth: username', given.username);
			checkString('auth: password', given.password);
			break;
		}
		case 'apiKey': {
			checkString('auth: apiKey', given.apiKey);
			break;
		}
		case 'sigv4': {
			checkString('auth: region', given.region);
			checkOneOf('auth: service', given.service ?? 'es', ['es', 'aoss']);
			if (given.credentials !== undefined) {
				checkFunction('auth: credentials', given.credentials);
			}
		}
	}
}

function checkTls(tls: unknown): void {
	if (tls === undefined) {
		return;
	}
	checkRequiredOptions('tls', tls, tlsNames);
	const {ca, cert, key, rejectUnauthorized} = tls as RemoteTls;
	for (const [name, value] of Object.entries({ca, cert, key})) {
		if (value !== undefined) {
			checkString(`tls: ${name}`, value);
		}
	}
	if (rejectUnauthorized !== undefined) {
		checkBoolean('tls: rejectUnauthorized', rejectUnauthorized);
	}
}

/** Whether a value has the part of the official client that this package uses. Never throws, even if the value is a proxy that throws. */
function isClient(value: unknown): boolean {
	try {
		return hasMethods((value as {readonly transport?: unknown} | null)?.transport, 'request');
	} catch {
		return false;
	}
}
