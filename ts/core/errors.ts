/** The kinds of errors, as `RetrievalError.code`. */
export type ErrorCode =
	/** The index was built with another analyzer than the expected one. */
	| 'ERR_ANALYZER_MISMATCH'
	/** An argument is invalid. */
	| 'ERR_ARGUMENT'
	/** An object was used after its `close()`. */
	| 'ERR_CLOSED'
	/** Vectors have another dimension than the index or model. */
	| 'ERR_DIMENSION'
	/** A model file could not be downloaded, or differs from its checksum or size on the hub. */
	| 'ERR_DOWNLOAD'
	/** An id exists already. */
	| 'ERR_DUPLICATE_ID'
	/** The index was built with another encoder than the one it is searched with. */
	| 'ERR_ENCODER_MISMATCH'
	/** A file or line does not have the expected format. */
	| 'ERR_FORMAT'
	/** An index file is damaged, truncated, or not an index. */
	| 'ERR_INDEX_CORRUPT'
	/** Another process or object has the index open for writing, or the reading cache open. */
	| 'ERR_INDEX_LOCKED'
	/** The index has another format version. */
	| 'ERR_INDEX_VERSION'
	/** A bug in passagekit. */
	| 'ERR_INTERNAL'
	/** The last change of a writer stopped before its end; call `rollback()` or `close()`. */
	| 'ERR_INTERRUPTED'
	/** The operating system reported an error: no such file, a folder instead of a file, no permission, a full disk, no more threads. */
	| 'ERR_IO'
	/** A model does not load, or does not have the required inputs and outputs. */
	| 'ERR_MODEL'
	/** A model is neither a folder nor a known name, or is not in the cache while offline. */
	| 'ERR_MODEL_MISSING'
	/** The native addon for this platform is not installed or cannot be loaded. Thrown by the first call that needs it. */
	| 'ERR_NATIVE_MISSING'
	/** The optional peer dependency `onnxruntime-node` is not installed or does not load. */
	| 'ERR_PEER_MISSING'
	/** A reading cache was made with another reader, or with other settings. */
	| 'ERR_READER_MISMATCH';

/** The error class of this package. Aborted calls reject with the reason of their signal instead. */
export class RetrievalError extends Error {
	override readonly name = 'RetrievalError';
	readonly code: ErrorCode;

	constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}
