/** The codes of errors: the values of `RetrievalError.code`. */
export type ErrorCode =
	/** The analyzer that an index was built with differs from the expected one. */
	| 'ERR_ANALYZER_MISMATCH'
	/** An argument is invalid. */
	| 'ERR_ARGUMENT'
	/** An object was used after its `close()`. */
	| 'ERR_CLOSED'
	/** The dimension of vectors differs from that of the index or model. */
	| 'ERR_DIMENSION'
	/** A model file could not be downloaded, or differs from its checksum or size on the hub. */
	| 'ERR_DOWNLOAD'
	/** An id exists already, or is given twice. */
	| 'ERR_DUPLICATE_ID'
	/** The function given to `createEncoder` failed, or an encoder of the caller did not return one finite vector per text. */
	| 'ERR_ENCODER'
	/** The encoder that an index was built with differs from the one that it is searched with. */
	| 'ERR_ENCODER_MISMATCH'
	/** A file or line does not have the expected format. */
	| 'ERR_FORMAT'
	/** An index file is damaged, truncated, or not an index. */
	| 'ERR_INDEX_CORRUPT'
	/** Another process, or another object of this process, has the index open for writing, or has the reading cache or vector cache open. */
	| 'ERR_INDEX_LOCKED'
	/** The file has a format version that this version of passagekit does not read. */
	| 'ERR_INDEX_VERSION'
	/** A bug in passagekit. */
	| 'ERR_INTERNAL'
	/** The last change of a `Bm25Writer` or a `Collection` stopped halfway; call `rollback()` or `close()`. */
	| 'ERR_INTERRUPTED'
	/** The operating system reported an error, for example a missing file, no permission, or a full disk. */
	| 'ERR_IO'
	/** A model does not load, or does not have the required inputs and outputs. */
	| 'ERR_MODEL'
	/** A model is neither a folder nor a known name, or it is not in the cache and the option `offline` forbids a download. */
	| 'ERR_MODEL_MISSING'
	/** The native addon for this platform is not installed or cannot be loaded. The first call that needs the addon throws this error. */
	| 'ERR_NATIVE_MISSING'
	/** An optional peer dependency, `onnxruntime-node` or `@opensearch-project/opensearch`, is not installed or does not load. */
	| 'ERR_PEER_MISSING'
	/** The reader or the settings with which a reading cache was made differ from the current ones. */
	| 'ERR_READER_MISMATCH'
	/** A search engine was not reached, does not have the index, or refused or failed a request. */
	| 'ERR_REMOTE'
	/** A search engine refused the credentials, or its certificate is not trusted. */
	| 'ERR_REMOTE_ACCESS'
	/** A search engine answered only for some shards, or ran out of time. Its hits would be incomplete, so none are returned. */
	| 'ERR_REMOTE_INCOMPLETE'
	/** The loss or a gradient of a training is infinite or not a number, usually because the learning rate is too high. */
	| 'ERR_TRAINING';

/** The error class of this package. Calls that are aborted reject with the reason of their signal instead. */
export class RetrievalError extends Error {
	override readonly name = 'RetrievalError';
	/** The kind of error. Use it in programs; messages may change. */
	readonly code: ErrorCode;

	constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}
