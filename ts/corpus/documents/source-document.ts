/** Converts the records of a file to documents, according to a mapping. */
import {isWellFormed} from '../../core/checks.ts';
import type {FieldValue, PassageFields} from '../../core/types.ts';
import {ValueError, fieldValue} from './field-values.ts';
import type {CheckedMapping, FieldRule} from './mapping.ts';
import {FileError, RecordError, type RecordReader, type SourceRecord, described, quoted} from './record.ts';
import type {TableRows} from './table-rows.ts';

/** A document of a file, before it is split into passages. */
export interface SourceDocument {
	readonly id: string;
	readonly title?: string;
	readonly text: string;
	/** Values to filter searches by. Missing if the document has none. */
	readonly fields?: PassageFields;
}

/** Limits that an index sets on the fields of a passage. */
const MAX_FIELDS = 256;
const MAX_NAME_BYTES = 255;

/** Maximum number of columns that an error message lists. */
const MAX_LISTED_COLUMNS = 20;

/** Fails with a `FileError` if a table does not have a column that the mapping names. */
export function checkColumns({header, headerLine}: TableRows, mapping: CheckedMapping): void {
	const {id, text, title, isTitleNamed, fields = []} = mapping;
	const needed = [id, ...text, ...(isTitleNamed ? [title!] : []), ...fields.map(({from}) => from)];
	const missing = needed.find(name => !header.includes(name));
	if (missing !== undefined) {
		const listed = header.slice(0, MAX_LISTED_COLUMNS).map(quoted).join(', ');
		const got = header.length > MAX_LISTED_COLUMNS ? `${listed}, …` : listed;
		throw new FileError(
			headerLine,
			`the column ${quoted(missing)} in the header`,
			`${got}; name other columns in the mapping, or set the delimiter`,
		);
	}
}

/** Converts a record of a reader to a document. Fails with a `RecordError` if the record is invalid. */
export function documentOf(record: SourceRecord, {nameKind}: RecordReader, mapping: CheckedMapping): SourceDocument {
	const inName = (name: string): string => `in the ${nameKind} ${quoted(name)}`;
	const refuse = (expected: string, got: string): never => {
		throw new RecordError(record.line, expected, got);
	};
	const textAt = (name: string): string | undefined => {
		const value = record.get(name);
		return value === undefined || typeof value === 'string' ? value : refuse(`a string ${inName(name)}`, described(value));
	};
	const id = (): string => {
		const value = record.get(mapping.id);
		// Larger numbers are not exact, so different ids could become the same.
		const found = Number.isSafeInteger(value) ? String(value) : value;
		if (found === undefined || found === '') {
			return refuse(`an id ${inName(mapping.id)}`, nameKind === 'column' ? 'an empty cell' : found === '' ? 'an empty string' : 'none');
		}
		if (typeof found !== 'string') {
			return refuse(`an id ${inName(mapping.id)}, a string or a whole number up to 2⁵³ − 1`, described(found));
		}
		return isWellFormed(found)
			? found
			: refuse(`an id in well-formed Unicode ${inName(mapping.id)}`, `a lone surrogate in ${quoted(found)}`);
	};
	const text = (): string => {
		const texts = mapping.text.map(textAt).filter(part => part !== undefined);
		if (texts.length === 0 && nameKind === 'property') {
			return refuse(`a text in the ${nameKind} ${mapping.text.map(quoted).join(' or ')}`, 'none');
		}
		return texts.filter(part => part !== '').join('\n');
	};
	const fields = (): PassageFields | undefined => {
		const entries: Array<readonly [string, FieldValue]> = [];
		for (const {name, from, type, separator} of mapping.fields ?? rulesOfOtherNames(record, mapping)) {
			const value = record.get(from);
			if (value === undefined) {
				continue;
			}
			try {
				entries.push([name, fieldValue(value, type, separator)]);
			} catch (error) {
				if (!(error instanceof ValueError)) {
					throw error;
				}
				const hint = typeof value === 'object' && type === undefined ? '; to leave it out, list the other fields in the mapping' : '';
				refuse(`${error.expected} ${inName(from)}`, error.got + hint);
			}
			if (name === '' || !isWellFormed(name) || (name.length * 3 > MAX_NAME_BYTES && Buffer.byteLength(name) > MAX_NAME_BYTES)) {
				refuse('field names of 1 to 255 bytes of well-formed Unicode', quoted(name));
			}
		}
		if (entries.length > MAX_FIELDS) {
			refuse(`at most ${MAX_FIELDS} fields`, `${entries.length}; list the fields to keep in the mapping`);
		}
		// An assignment to a field with the name `__proto__` would set the prototype instead.
		return entries.length === 0 ? undefined : Object.fromEntries(entries);
	};
	const title = mapping.title === undefined ? undefined : textAt(mapping.title);
	const kept = fields();
	return {
		id: id(),
		...(title === undefined || title === '' ? {} : {title}),
		text: text(),
		...(kept === undefined ? {} : {fields: kept}),
	};
}

/** Returns rules that keep every column or property other than the id, text and title as a field with the same name. */
function rulesOfOtherNames({names}: SourceRecord, {id, text, title}: CheckedMapping): FieldRule[] {
	const used = new Set([id, ...text, title]);
	return names.filter(name => !used.has(name)).map(name => ({name, from: name, type: undefined, separator: ''}));
}
