/** Checks what a cluster would refuse, so that a call with such an argument fails before it sends anything. */
import {RetrievalError} from '../../core/errors.ts';
import {documentOf} from '../../core/filters/document-id.ts';
import type {StoredFields} from '../../core/types.ts';
import {valueAttribute} from '../search/attributes.ts';

/** Maximum number of bytes of an `_id` (OpenSearch). */
const MAX_ID_BYTES = 512;
/** Maximum number of bytes of a term (Lucene). A field's name and value are one term: see `search/attributes.ts`. */
const MAX_TERM_BYTES = 32_766;
/** Maximum number of bytes of a UTF-16 code unit in UTF-8. */
const MAX_BYTES_PER_UNIT = 3;

/** Fails unless a cluster accepts the id of a passage. `what` is the start of error messages. */
export function checkPassageId(what: string, id: string): void {
	const bytes = Buffer.byteLength(id);
	if (bytes > MAX_ID_BYTES) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`${what}: expected at most ${MAX_ID_BYTES} bytes in the id of each passage, the limit of OpenSearch, got ${bytes}`,
		);
	}
	// The document's id decides which shard has the passage, so it may not be empty.
	if (documentOf(id) === '') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected the id of a passage of a document, got "${id}", whose document has no id`);
	}
}

/** Fails unless a cluster accepts the fields of a document, given as JSON. `what` is the start of error messages. */
export function checkFieldSizes(what: string, json: string): void {
	if (json.length * MAX_BYTES_PER_UNIT <= MAX_TERM_BYTES) {
		return;
	}
	const overhead = Buffer.byteLength(valueAttribute('', ''));
	for (const [name, value] of Object.entries(JSON.parse(json) as StoredFields)) {
		for (const one of typeof value === 'object' ? value : [value]) {
			const bytes = Buffer.byteLength(valueAttribute(name, one));
			if (bytes > MAX_TERM_BYTES) {
				throw new RetrievalError(
					'ERR_ARGUMENT',
					`${what}: expected at most ${MAX_TERM_BYTES - overhead} bytes in the name and a value of a field together, the limit of Lucene, got ${bytes - overhead} in "${name.slice(0, 100)}"; put long texts in \`text\``,
				);
			}
		}
	}
}
