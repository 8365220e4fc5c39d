/** What went wrong, for programs. */
export type ErrorCode =
	/** An index made with another analyzer than the one it is opened with. */
	| 'ERR_ANALYZER_MISMATCH'
	/** An argument that has no meaning here. */
	| 'ERR_ARGUMENT'
	/** Something was used after its `close()`. */
	| 'ERR_CLOSED'
	/** Vectors of another dimension than the index's. */
	| 'ERR_DIMENSION'
	/** A model file could not be fetched, or is not what the hub promised. */
	| 'ERR_DOWNLOAD'
	/** An id that is there already. */
	| 'ERR_DUPLICATE_ID'
	/** An index made by another encoder than the one it is searched with. */
	| 'ERR_ENCODER_MISMATCH'
	/** A file or line that is not of the expected format. */
	| 'ERR_FORMAT'
	/** An index file that is damaged, cut short, or something else. */
	| 'ERR_INDEX_CORRUPT'
	/** Another process or object is writing the index, or has the cache of readings open. */
	| 'ERR_INDEX_LOCKED'
	/** An index of another version of the format. */
	| 'ERR_INDEX_VERSION'
	/** A bug in passagekit. */
	| 'ERR_INTERNAL'
	/** A writer whose last changes ended half-way; it has to be rolled back, or closed. */
	| 'ERR_INTERRUPTED'
	/** An error of the operating system: no such file, a folder in place of a file, no permission, a full disk, no more threads. */
	| 'ERR_IO'
	/** A model that does not load or has other inputs and outputs than needed. */
	| 'ERR_MODEL'
	/** A model that is neither a folder nor known by name, or not in the cache while offline. */
	| 'ERR_MODEL_MISSING'
	/** The native addon for this platform is not installed or cannot be loaded. Thrown by the first call that needs it. */
	| 'ERR_NATIVE_MISSING'
	/** The optional peer `onnxruntime-node` is not installed or does not load. */
	| 'ERR_PEER_MISSING'
	/** A cache of readings made with another reader or other settings than those it is opened with. */
	| 'ERR_READER_MISMATCH';

/** The only error this package throws on purpose. Aborted calls reject with the signal's own reason. */
export class RetrievalError extends Error {
	override readonly name = 'RetrievalError';
	readonly code: ErrorCode;

	constructor(code: ErrorCode, message: string, options?: ErrorOptions) {
		super(message, options);
		this.code = code;
	}
}
