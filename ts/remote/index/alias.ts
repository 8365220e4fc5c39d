/** Moves an alias to an index. */
import {RetrievalError} from '../../core/errors.ts';
import type {RemoteIndex} from './remote-index.ts';

/** Makes an alias the name of an index, in one step. Returns the indexes that had the alias before, which are deleted with `deleteOld`. */
export async function moveAlias(index: RemoteIndex, alias: string, deleteOld: boolean, signal: AbortSignal | undefined): Promise<string[]> {
	const {connection} = index.parts;
	const what = `useAlias ${alias}`;
	const concrete = await index.current(signal);
	const path = `/${encodeURIComponent(alias)}`;
	const exists = await connection.send<boolean>({what, method: 'HEAD', path, signal});
	const aliases = exists
		? await connection.send<Record<string, {readonly aliases: Readonly<Record<string, unknown>>}>>({
				what,
				method: 'GET',
				path: `${path}/_alias`,
				signal,
			})
		: {};
	if (Object.hasOwn(aliases, alias)) {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected the name of an alias, got that of an index`);
	}
	const old = Object.keys(aliases).filter(name => name !== concrete);
	const removals = old.map(name => (deleteOld ? {remove_index: {index: name}} : {remove: {index: name, alias}}));
	await connection.send({what, method: 'POST', path: '/_aliases', body: {actions: [...removals, {add: {index: concrete, alias}}]}, signal});
	return old;
}
