/** Reads the counts and settings of a remote index. */
import type {OpenSearchStats} from '../options.ts';
import {answersOf} from '../search/multi-search.ts';
import type {RemoteIndex} from './remote-index.ts';
import {names} from './schema.ts';

interface StatsAnswer {
	readonly _all: {
		readonly primaries: {readonly docs: {readonly count: number; readonly deleted: number}};
		readonly total: {readonly store: {readonly size_in_bytes: number}};
	};
}

/** Returns the counts and settings of an index. */
export async function indexStats(index: RemoteIndex): Promise<OpenSearchStats> {
	const {connection, version, schema} = index.parts;
	const name = await index.current();
	const path = encodeURIComponent(name);
	const what = `stats ${name}`;
	const count = {size: 0, track_total_hits: true};
	const [stats, health, settings, answers] = await Promise.all([
		connection.send<StatsAnswer>({what, method: 'GET', path: `/${path}/_stats/docs,store`}),
		connection.send<{readonly status: OpenSearchStats['health']}>({what, method: 'GET', path: `/_cluster/health/${path}`}),
		connection.send<Record<string, {readonly settings: {readonly index: Readonly<Record<string, string>>}}>>({
			what,
			method: 'GET',
			path: `/${path}/_settings`,
		}),
		answersOf({connection, name}, [
			{body: {...count, query: {match_all: {}}}, dfs: false},
			{body: {...count, query: {term: {[names.number]: 0}}}, dfs: false},
		]),
	]);
	const [passages, documents] = answers.map(({hits}) => hits!.total!.value) as [number, number];
	const {split, encoder, questionEncoder} = schema.settings;
	const {index: indexSettings} = settings[name]!.settings;
	return {
		index: name,
		version,
		documents,
		passages,
		deletedPassages: stats._all.primaries.docs.deleted,
		shards: Number(indexSettings['number_of_shards']),
		replicas: Number(indexSettings['number_of_replicas']),
		health: health.status,
		bytes: stats._all.total.store.size_in_bytes,
		dim: index.dim,
		hasUnitVectors: index.dim !== undefined && schema.settings.unit,
		storage: schema.vectors?.storage,
		split,
		encoder: encoder ?? undefined,
		questionEncoder: questionEncoder ?? undefined,
	};
}
