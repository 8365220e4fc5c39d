/** Moves an alias to an index. */
import {RetrievalError} from '../../core/errors.ts';
import {type Connection, wait} from '../connection/connection.ts';
import {isMissingIndexError} from '../connection/errors.ts';
import {checkIndexName} from './name.ts';
import type {RemoteIndex} from './remote-index.ts';

/** How often the alias is read and moved again, because another process changes it at the same time, or a node does not know an index yet. */
const MAX_ATTEMPTS = 10;

/**
Makes an alias the name of an index, in one step. Returns the indexes that had the alias before. With `deleteOld`, those of them that had it
when the call began are deleted. If several calls move the alias at the same time, it ends on the index of one of them.
*/
export async function moveAlias(index: RemoteIndex, alias: string, deleteOld: boolean, signal: AbortSignal | undefined): Promise<string[]> {
	const what = `useAlias ${alias}`;
	checkIndexName('useAlias: alias', alias);
	const {connection} = index.parts;
	const concrete = await index.current(signal);
	const first = await ownersOf(connection, what, alias, signal);
	const old = new Set<string>();
	let owners = first;
	for (let attempt = 0; ; attempt++) {
		const others = owners.filter(name => name !== concrete);
		for (const name of others) {
			old.add(name);
		}
		const removals = others.map(name =>
			deleteOld && first.includes(name) ? {remove_index: {index: name}} : {remove: {index: name, alias}},
		);
		let failure: unknown;
		try {
			const actions = [...removals, {add: {index: concrete, alias}}];
			// 404: an index of the actions is gone. The same actions would fail again, so the alias is read again.
			await connection.send({what, method: 'POST', path: '/_aliases', body: {actions}, signal, unrepeated: [404]});
		} catch (error) {
			signal?.throwIfAborted();
			failure = error;
		}
		// The answer does not say what happened: an attempt whose answer was lost has moved the alias, and then its repetition fails,
		// because the old index is gone. And a call of another process may have added the alias to its index in between.
		owners = await ownersOf(connection, what, alias, signal);
		const isOurs = owners.length === 1 && owners[0] === concrete;
		const isMovedOn = failure === undefined && !owners.includes(concrete);
		if (isOurs || isMovedOn) {
			return [...old];
		}
		if (attempt === MAX_ATTEMPTS || (failure !== undefined && !isConflict(failure))) {
			throw (
				failure ??
				new RetrievalError(
					'ERR_REMOTE',
					`${what}: expected the alias on ${concrete} only, got it on ${owners.join(' and ')} too; call it again`,
				)
			);
		}
		await wait(attempt, signal);
	}
}

/** Whether an error says that an index lost the alias, or was deleted, after the alias was read, or is not known to the node yet. */
function isConflict(error: unknown): boolean {
	return [404, 409].includes(((error as Error).cause as {readonly statusCode?: number} | undefined)?.statusCode ?? 0);
}

/** Returns the indexes that have an alias. Fails with `ERR_ARGUMENT` if the name is that of an index. */
async function ownersOf(connection: Connection, what: string, alias: string, signal: AbortSignal | undefined): Promise<string[]> {
	const path = `/${encodeURIComponent(alias)}/_alias`;
	let aliases: Readonly<Record<string, unknown>>;
	try {
		aliases = await connection.send({what, method: 'GET', path, signal});
	} catch (error) {
		if (error instanceof RetrievalError && isMissingIndexError(error.cause)) {
			return [];
		}
		throw error;
	}
	if (Object.hasOwn(aliases, alias)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected the name of an alias, got that of an index`);
	}
	return Object.keys(aliases);
}
