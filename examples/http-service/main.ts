/**
Serves searches and questions over HTTP. If a client disconnects, its search is canceled. On `SIGTERM`, running requests finish before the
service exits.

	GET /search?q=…&k=…  →  {hits: [{id, title, score}]}
	GET /ask?q=…         →  {answers: [{text, passageId}]}
*/
import {createServer} from 'node:http';
import {pathToFileURL} from 'node:url';
import {Collection, RetrievalError} from 'passagekit';

export function createService(collection: Collection): ReturnType<typeof createServer> {
	return createServer(async (request, response) => {
		// Aborted when the connection is closed. After the response has been sent, this has no effect.
		const abandoned = new AbortController();
		response.on('close', () => abandoned.abort());
		try {
			const {status, body} = await answer(collection, new URL(request.url ?? '/', 'http://localhost'), abandoned.signal);
			response.writeHead(status, {'content-type': 'application/json'}).end(JSON.stringify(body));
		} catch (error) {
			if (abandoned.signal.aborted) {
				return;
			}
			// `ERR_ARGUMENT` is the client's mistake; any other error is ours.
			const invalid = error instanceof RetrievalError && error.code === 'ERR_ARGUMENT';
			if (!invalid) {
				console.error(error);
			}
			// The message of another error may contain paths of the server.
			response.writeHead(invalid ? 400 : 500, {'content-type': 'application/json'});
			response.end(JSON.stringify({error: invalid ? error.message : 'internal error'}));
		}
	});
}

async function answer(collection: Collection, url: URL, signal: AbortSignal): Promise<{status: number; body: unknown}> {
	const query = url.searchParams.get('q') ?? '';
	if (url.pathname === '/search') {
		const k = Number(url.searchParams.get('k') ?? 5);
		const {hits} = await collection.search(query, {retriever: 'bm25', k, include: ['title'], signal});
		return {status: 200, body: {hits: hits.map(({id, title, score}) => ({id, title, score}))}};
	}
	if (url.pathname === '/ask') {
		const {answers} = await collection.ask(query, {signal});
		return {status: 200, body: {answers: answers.map(({text, passageId}) => ({text, passageId}))}};
	}
	return {status: 404, body: {error: `expected /search or /ask, got ${url.pathname}`}};
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
	const collection = await Collection.build('./articles', './index', {overwrite: true});
	const service = createService(collection).listen(Number(process.env['PORT'] ?? 8080), () => {
		const address = service.address();
		console.log('listening on port', typeof address === 'object' ? address?.port : address);
	});
	process.once('SIGTERM', () => {
		service.close(() => void collection.close());
		service.closeIdleConnections();
	});
}
