/** Tests that every failure is a `RetrievalError` that says what to do. */
import {createHash, createHmac} from 'node:crypto';
import type {IncomingMessage} from 'node:http';
import {inspect} from 'node:util';
import test, {type ExecutionContext} from 'ava';
import {type ErrorCode, RetrievalError} from '../../../ts/index.ts';
import {OpenSearchCollection, type OpenSearchOpenOptions, RemoteWriteError} from '../../../ts/remote/index.ts';
import {type RemoteCause, causeMeaning} from '../../../ts/remote/connection/errors.ts';
import {answering, certificate, forwarding, serve} from './front.ts';
import {cluster, create, newName} from './support.ts';

async function refused(t: ExecutionContext, call: Promise<unknown>, code: ErrorCode, message: RegExp): Promise<void> {
	const error = (await t.throwsAsync(call, {instanceOf: RetrievalError, message}))!;
	t.is((error as RetrievalError).code, code);
}

async function open(options: OpenSearchOpenOptions, name = 'any'): Promise<void> {
	await (await OpenSearchCollection.open(name, {maxRetries: 0, ...options})).close();
}

export function errorTests(): void {
	test.serial('a wrong address is an error that names the address and what was found there', async t => {
		await refused(
			t,
			open({url: 'http://127.0.0.1:1'}),
			'ERR_REMOTE',
			/connect: no connection with http:\/\/127\.0\.0\.1:1 .*check the address/u,
		);
		await refused(t, open({url: 'http://nowhere.invalid:9200'}), 'ERR_REMOTE', /no connection with http:\/\/nowhere\.invalid/u);
		const page = await serve(t, (_, response) => response.writeHead(404, {'content-type': 'text/html'}).end('<html>'));
		await refused(t, open({url: page}), 'ERR_REMOTE', /expected an answer of OpenSearch .*, got status 404: <html>; check the address/u);
		const silent = await serve(t, () => {});
		await refused(
			t,
			open({url: silent, timeoutMs: 200}),
			'ERR_REMOTE',
			/expected an answer from .* within 200 ms, got none; raise timeoutMs/u,
		);
		await refused(
			t,
			open({url: cluster().urls}, 'missing'),
			'ERR_REMOTE',
			/open missing: expected an index, got none .*OpenSearchCollection\.create/u,
		);
	});

	test.serial('a system of another kind or version is refused', async t => {
		for (const [version, got] of [
			[{number: '7.17.0'}, 'another system, version 7.17.0'],
			[{number: '1.3.20', distribution: 'opensearch'}, 'OpenSearch 1.3.20'],
			[{number: '4.0.0', distribution: 'opensearch'}, 'OpenSearch 4.0.0'],
			[undefined, 'something else'],
		] as const) {
			const url = await serve(t, answering({version}));
			await refused(t, open({url}), 'ERR_REMOTE', new RegExp(`expected OpenSearch 2 or 3 at ${url}, got ${got}`, 'u'));
		}
	});

	test.serial('a certificate must be trusted, and a password must be right', async t => {
		const collection = await create(t);
		await collection.add({id: 'a', text: 'a lamp'});
		await collection.refresh();
		const {index} = await collection.stats();
		const encryption = await certificate();
		const right = `Basic ${Buffer.from('ada:secret').toString('base64')}`;
		const url = await serve(
			t,
			forwarding(cluster().urls[0]!, ({authorization}) => authorization === right),
			encryption,
		);
		const auth = {type: 'basic', username: 'ada', password: 'secret'} as const;
		const tls = {ca: encryption.pem};
		await refused(
			t,
			open({url, auth}, index),
			'ERR_REMOTE_ACCESS',
			/expected a certificate .* that Node trusts.*pass the certificate .* tls: \{ca\}/u,
		);
		await refused(t, open({url, tls}, index), 'ERR_REMOTE_ACCESS', /refused the credentials \(status 401\).*option auth/u);
		await refused(t, open({url, tls, auth: {...auth, password: 'wrong'}}, index), 'ERR_REMOTE_ACCESS', /refused the credentials/u);
		await refused(t, open({url: url.replace('https', 'http')}, index), 'ERR_REMOTE', /begins with https/u);
		await refused(t, open({url: cluster().urls[0]!.replace('http', 'https')}, index), 'ERR_REMOTE', /may begin with http:/u);
		await using encrypted = await OpenSearchCollection.open(index, {url, auth, tls});
		t.is((await encrypted.search('lamp')).hits.length, 1);
		await using unchecked = await OpenSearchCollection.open(index, {url, auth, tls: {rejectUnauthorized: false}});
		t.is((await unchecked.search('lamp')).hits.length, 1);
	});

	test.serial('API keys and signatures of AWS are sent with each request', async t => {
		const collection = await create(t);
		const {index} = await collection.stats();
		const byKey = await serve(
			t,
			forwarding(cluster().urls[0]!, ({authorization}) => authorization === 'ApiKey key-1'),
		);
		await open({url: byKey, auth: {type: 'apiKey', apiKey: 'key-1'}}, index);
		await refused(t, open({url: byKey, auth: {type: 'apiKey', apiKey: 'key-2'}}, index), 'ERR_REMOTE_ACCESS', /refused the credentials/u);
		const credentials = {accessKeyId: 'AKID', secretAccessKey: 'secret'};
		let signed = 0;
		const bySignature = await serve(t, (incoming, response) => {
			const isRight = incoming.headers.authorization === signature(incoming, credentials);
			signed += isRight ? 1 : 0;
			forwarding(cluster().urls[0]!, () => isRight)(incoming, response);
		});
		const auth = {type: 'sigv4', region: 'eu-west-1', service: 'es'} as const;
		await open({url: bySignature, auth: {...auth, credentials: async () => credentials}}, index);
		t.true(signed >= 2);
		const wrong = async () => ({...credentials, secretAccessKey: 'other'});
		await refused(t, open({url: bySignature, auth: {...auth, credentials: wrong}}, index), 'ERR_REMOTE_ACCESS', /refused the credentials/u);
	});

	test.serial('errors do not contain credentials', async t => {
		const key = 'c3VwZXItc2VjcmV0';
		const credentials = {accessKeyId: 'AKID-s3cret', secretAccessKey: 'x-s3cret', sessionToken: 'token-s3cret'};
		const auths = [
			{type: 'apiKey', apiKey: `${key}-s3cret`},
			{type: 'basic', username: 'ada', password: 'word-s3cret'},
			{type: 'sigv4', region: 'eu-west-1', credentials: async () => credentials},
		] as const;
		const failing = await serve(t, answering({error: {type: 'index_not_found_exception', reason: 'no such index'}, status: 404}, 404));
		const text = await serve(t, (_, response) => response.writeHead(200, {'content-type': 'application/json'}).end('<html>'));
		const silent = await serve(t, () => {});
		for (const auth of auths) {
			for (const [url, cause] of [
				[failing, {name: 'ResponseError', statusCode: 404}],
				[text, {name: 'DeserializationError'}],
				[silent, {name: 'TimeoutError'}],
				['http://127.0.0.1:1', {name: 'ConnectionError'}],
			] as const) {
				// Only the silent server makes the client give up; the others may take longer on a busy machine.
				const limit = url === silent ? {timeoutMs: 300} : {};
				const error = (await t.throwsAsync(open({url, auth, ...limit}), {instanceOf: RetrievalError}))!;
				t.like(error.cause, cause);
				const shown = `${inspect(error, {depth: Infinity, showHidden: true})} ${JSON.stringify(error)} ${JSON.stringify(error.cause)}`;
				const encoded = Buffer.from('ada:word-s3cret').toString('base64');
				t.false(/s3cret|AWS4-HMAC|Signature=/u.test(shown) || shown.includes(encoded), shown);
			}
		}
	});

	test.serial('the type of an error decides its meaning, and not a word in its reason', t => {
		const search = (type: string, reason: string): RemoteCause => ({
			type: 'search_phase_execution_exception',
			reason: 'all shards failed',
			root_cause: [{type, reason}],
			failed_shards: [{reason: {type, reason}}],
		});
		const generic = /^the cluster refused the request with status 400/u;
		for (const [cause, status, code, message] of [
			[search('query_shard_exception', 'No mapping found for [added] in order to sort on'), 400, 'ERR_REMOTE', generic],
			[search('query_shard_exception', 'failed to parse /12/ read-only-allow-delete'), 400, 'ERR_REMOTE', generic],
			[search('parse_exception', 'maxClauseCount is FORBIDDEN'), 400, 'ERR_REMOTE', generic],
			[
				search('too_many_clauses', 'maxClauseCount is set to 1024'),
				400,
				'ERR_ARGUMENT',
				/terms in the query, or fewer conditions in the filter/u,
			],
			[
				search('search_context_missing_exception', 'No search context found for id [5]'),
				404,
				'ERR_REMOTE',
				/scan paused for more than 5 minutes/u,
			],
			[
				{type: 'cluster_block_exception', reason: 'blocked by: [FORBIDDEN/12/index read-only / allow delete (api)]'},
				403,
				'ERR_REMOTE',
				/disk/u,
			],
			[
				{type: 'illegal_argument_exception', reason: 'mapper [terms] cannot be changed from type [text]'},
				400,
				'ERR_REMOTE',
				/accept the doc/u,
			],
		] as const) {
			const meaning = causeMeaning(cause, status);
			t.is(meaning.code, code);
			t.regex(meaning.message, message);
		}
	});

	test.serial('a scan whose view was lost says why', async t => {
		const collection = await create(t);
		await collection.push(Array.from({length: 600}, (_, i) => ({id: `d${i}`, text: 'a lamp'})));
		await collection.refresh();
		const scan = async (): Promise<void> => {
			let count = 0;
			for await (const _ of collection) {
				if (++count === 1) {
					await cluster().request('/_search/point_in_time/_all', undefined, 'DELETE');
				}
			}
		};
		await refused(t, scan(), 'ERR_REMOTE', /scan paused for more than 5 minutes, or a node was lost; start the scan again/u);
	});

	test.serial('maxRetries is also the number of repetitions of single searches', async t => {
		const collection = await create(t);
		let searches = 0;
		const failure = {error: {type: 'search_phase_execution_exception', reason: 'all shards failed'}, status: 503};
		const forward = forwarding(cluster().urls[0]!, () => true);
		const url = await serve(t, (incoming, response) => {
			const isSearch = incoming.url!.startsWith('/_msearch');
			searches += isSearch ? 1 : 0;
			(isSearch ? answering({responses: [failure]}) : forward)(incoming, response);
		});
		const {index} = await collection.stats();
		for (const maxRetries of [0, 2]) {
			await using reader = await OpenSearchCollection.open(index, {url, maxRetries});
			searches = 0;
			await refused(t, reader.search('lamp'), 'ERR_REMOTE_INCOMPLETE', /not all shards answered/u);
			t.is(searches, maxRetries + 1);
		}
	});

	test.serial('a read-only index and a full disk are errors that say how to end the block', async t => {
		const collection = await create(t);
		const {index} = await collection.stats();
		const setting = async (name: string, value: boolean | null) =>
			cluster().request(`/${index}/_settings`, {[`index.blocks.${name}`]: value}, 'PUT');
		await setting('write', true);
		await refused(t, collection.add({id: 'a', text: 'x'}), 'ERR_REMOTE', /index is read-only .*set index\.blocks\.write/u);
		await setting('write', false);
		// The cluster sets this block when a disk reaches the flood-stage watermark.
		await setting('read_only_allow_delete', true);
		await refused(
			t,
			collection.add({id: 'a', text: 'x'}),
			'ERR_REMOTE',
			/disk of the cluster is almost full \(flood-stage watermark\); free disk space/u,
		);
		await setting('read_only_allow_delete', null);
		t.is(await collection.add({id: 'a', text: 'x'}), 1);
	});

	test.serial('an index of another program, and one of another format, are refused', async t => {
		const name = newName();
		await cluster().request(`/${name}`, {mappings: {properties: {text: {type: 'text'}}}}, 'PUT');
		t.teardown(async () => cluster().request(`/${name}`, undefined, 'DELETE'));
		await refused(
			t,
			open({url: cluster().urls}, name),
			'ERR_ARGUMENT',
			/expected an index that OpenSearchCollection\.create or passagekit push created/u,
		);
		await refused(
			t,
			OpenSearchCollection.create(name, {url: cluster().urls, encoder: false}),
			'ERR_ARGUMENT',
			/expected the name of a new index/u,
		);
		await refused(
			t,
			OpenSearchCollection.create('UPPER', {url: cluster().urls, encoder: false}),
			'ERR_ARGUMENT',
			/expected a valid name of an index/u,
		);
		for (const [meta, code, message] of [
			[{format: 2}, 'ERR_INDEX_VERSION', /expected format 1, got 2/u],
			[{analyzer: {type: 'english', version: 0}}, 'ERR_INDEX_VERSION', /expected version 1 of the analyzer english, got version 0/u],
		] as const) {
			const collection = await create(t);
			const {index} = await collection.stats();
			const mapping = await cluster().request<Record<string, {mappings: {_meta: {passagekit: object}}}>>(`/${index}/_mapping`);
			const {passagekit} = mapping[index]!.mappings._meta;
			await cluster().request(`/${index}/_mapping`, {_meta: {passagekit: {...passagekit, ...meta}}}, 'PUT');
			await refused(t, open({url: cluster().urls}, index), code, message);
		}
	});

	test.serial('passages that the mapping does not accept are reported one by one, and the others are written', async t => {
		const collection = await create(t, {encoder: false, vectors: {dim: 2, similarity: 'dot'}});
		const {index} = await collection.stats();
		// An index whose vectors have another dimension than its description says.
		const mapping = await cluster().request<Record<string, {mappings: {_meta: {passagekit: {vectors: object}}}}>>(`/${index}/_mapping`);
		const {passagekit} = mapping[index]!.mappings._meta;
		const wrong = {...passagekit, vectors: {...passagekit.vectors, dim: 3}};
		await cluster().request(`/${index}/_mapping`, {_meta: {passagekit: wrong}}, 'PUT');
		await using other = await OpenSearchCollection.open(index, {url: cluster().urls});
		const error = await t.throwsAsync(
			other.push([
				{id: 'a', text: 'x', vector: [1, 2, 3]},
				{id: 'b', text: 'y', vector: [1, 2, 3]},
			]),
			{instanceOf: RemoteWriteError, message: /2 of 2 writes were refused; "a": the mapping of the index does not accept the documents/u},
		);
		t.deepEqual(
			(error as RemoteWriteError).refused.map(({id, status, code}) => ({id, status, code})),
			[
				{id: 'a', status: 400, code: 'ERR_REMOTE'},
				{id: 'b', status: 400, code: 'ERR_REMOTE'},
			],
		);
	});

	test.serial('a query with more terms than the cluster accepts is an error', async t => {
		const collection = await create(t);
		await collection.add({id: 'a', text: 'word1 word2'});
		await collection.refresh();
		const query = Array.from({length: 5000}, (_, i) => `word${i}`).join(' ');
		await refused(t, collection.search(query), 'ERR_ARGUMENT', /expected fewer distinct terms in the query/u);
	});

	test.serial('a search that is aborted ends with the reason of its signal, and a closed collection is refused', async t => {
		const collection = await create(t);
		const reason = new Error('stop');
		const call = async (signal: AbortSignal) => collection.search('lamp', {signal});
		t.is(await t.throwsAsync(call(AbortSignal.abort(reason))), reason);
		const silent = await serve(t, (incoming, response) => {
			if (incoming.url!.startsWith('/_msearch')) {
				return;
			}
			forwarding(cluster().urls[0]!, () => true)(incoming, response);
		});
		const {index} = await collection.stats();
		await using hanging = await OpenSearchCollection.open(index, {url: silent});
		const controller = new AbortController();
		const searching = hanging.search('lamp', {signal: controller.signal});
		setTimeout(() => controller.abort(reason), 50);
		t.is(await t.throwsAsync(searching), reason);
		await hanging.close();
		await refused(t, hanging.search('lamp'), 'ERR_CLOSED', /closed/u);
	});

	test.serial('invalid options are refused before anything is sent', async t => {
		const url = 'http://127.0.0.1:1';
		for (const [options, message] of [
			[{}, /expected the option url/u],
			[{url: 'localhost:9200'}, /url: expected an address such as/u],
			[{url: 'https://ada:secret@example.com'}, /url: expected an address without "@" .* that ends in "example\.com"; pass auth/u],
			[{url: 'ada:secret@example.com:9200'}, /that ends in "example\.com:9200"; pass auth/u],
			[{url: 'https://ada:s@cret@h:x'}, /that ends in "h:x"; pass auth/u],
			[{url: 'https://ada:se/cret@h'}, /that ends in "h"; pass auth/u],
			[{url: 'https://ada/secret@h'}, /that ends in "h"; pass auth/u],
			[{url: 'https://ada:1#secret@h'}, /that ends in "h"; pass auth/u],
			[{url: []}, /url: expected at least one address/u],
			[{url, auth: {type: 'token'}}, /auth: type: expected one of basic, apiKey, sigv4/u],
			[{url, auth: {type: 'basic', username: 'a'}}, /auth: password: expected a string/u],
			[{url, tls: {ca: 5}}, /tls: ca: expected a string/u],
			[{url, timeoutMs: 0}, /timeoutMs: expected a whole number of at least 1/u],
			[{url, statistics: 'all'}, /statistics: expected one of global, shard/u],
			[{client: {}}, /client: expected a Client/u],
			[{url, host: 'x'}, /open: expected options among/u],
		] as const) {
			await refused(t, OpenSearchCollection.open('any', options as never), 'ERR_ARGUMENT', message);
			const error = (await t.throwsAsync(OpenSearchCollection.open('any', options as never)))!;
			t.notRegex(inspect(error, {depth: Infinity}), /cret|ada/u);
		}
		await refused(t, OpenSearchCollection.create('x', {url, shards: 0}), 'ERR_ARGUMENT', /shards: expected/u);
		await refused(
			t,
			OpenSearchCollection.create('x', {url, analyzer: {type: 'wordpiece', tokenizer: 'x'}}),
			'ERR_ARGUMENT',
			/other than wordpiece/u,
		);
	});
}

/** Computes the signature (version 4) of a request without query parameters and without a body: an independent check of the client's. */
function signature(
	{headers, method, url}: IncomingMessage,
	keys: {readonly accessKeyId: string; readonly secretAccessKey: string},
): string {
	const hmac = (key: string | Buffer, text: string): Buffer => createHmac('sha256', key).update(text).digest();
	const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');
	const [, signedHeaders = ''] = /SignedHeaders=([^,]+)/u.exec(headers.authorization ?? '') ?? [];
	const date = String(headers['x-amz-date']);
	const scope = `${date.slice(0, 8)}/eu-west-1/es/aws4_request`;
	const canonicalHeaders = signedHeaders.split(';').map(name => `${name}:${String(headers[name]).trim()}\n`);
	const request = [method, url, '', canonicalHeaders.join(''), signedHeaders, headers['x-amz-content-sha256']].join('\n');
	const key = ['eu-west-1', 'es', 'aws4_request'].reduce(hmac, hmac(`AWS4${keys.secretAccessKey}`, date.slice(0, 8)));
	const signed = hmac(key, ['AWS4-HMAC-SHA256', date, scope, sha256(request)].join('\n')).toString('hex');
	return `AWS4-HMAC-SHA256 Credential=${keys.accessKeyId}/${scope}, SignedHeaders=${signedHeaders}, Signature=${signed}`;
}
