/** Collections in an OpenSearch cluster, for indexes that are larger than one machine or must survive the loss of one. */
export {OpenSearchCollection} from './collection.ts';
export {OpenSearchSearcher} from './searcher.ts';
export {type RefusedWrite, RemoteWriteError} from './write/bulk.ts';
export type {AwsCredentials, OpenSearchClient, RemoteAuth, RemoteOptions, RemoteTls} from './connection/options.ts';
export type {
	OpenSearchCreateOptions,
	OpenSearchOpenOptions,
	OpenSearchSearcherOptions,
	OpenSearchStats,
	RemoteVectorSettings,
	UseAliasOptions,
} from './options.ts';
export type {RemoteStorage} from './index/schema.ts';
export type {PassageWithVector, PushOptions, PushResult} from './write/push.ts';
