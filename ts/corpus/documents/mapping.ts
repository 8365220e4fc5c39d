/**
The mapping of a file of documents: which columns or properties are the id, the text, the title and the fields of a document. Users write a
`DocumentMapping`; `checkedMapping` validates it and fills in the defaults.
*/
import {checkArray, checkOneOf, checkString, isArray, isPlain, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../../core/options.ts';

/**
Types of fields, with the values that each accepts. The values are JSON values or the texts of table cells.

- `string`: a text; from JSON, also a number or a boolean, which is converted to text.
- `number`: a decimal number such as `-1.5e3`.
- `boolean`: `true`, `false`, `yes`, `no`, `1` or `0`, in upper or lower case.
- `date`: a date in the format of ISO 8601, such as `2024-03-01` or `2024-03-01T12:00:00+01:00`, which is converted to a string in the
  format of `Date.prototype.toISOString()`. Without an offset, the time is UTC.
- `strings`: an array of strings, or a text that is split at its separators.
*/
export type DocumentFieldType = 'string' | 'number' | 'boolean' | 'date' | 'strings';

const fieldTypes: readonly DocumentFieldType[] = ['string', 'number', 'boolean', 'date', 'strings'];

/** Where the values of a field come from, and how they are converted. */
export interface DocumentField {
	/** The column with the values, or the property, such as `author.name`. @default the name of the field */
	readonly from?: string | undefined;
	/** Type of the values. @default `string` for table cells; for JSON, the type that the value has there */
	readonly type?: DocumentFieldType | undefined;
	/** Separator of the strings in a text; only for the type `strings`. @default both '|' and ';' */
	readonly separator?: string | undefined;
}

/**
Says which columns of a table, or properties of JSON objects, become which parts of a document. A property of a nested object is named by
its path, such as `author.name`.

@example
```
const mapping: DocumentMapping = {
	id: 'isbn',
	text: ['abstract', 'body'],
	fields: {year: 'number', writer: {from: 'author.name'}, tags: {type: 'strings', separator: ','}},
};
```
*/
export interface DocumentMapping {
	/** Column or property with the id. @default 'id' */
	readonly id?: string | undefined;
	/** Column or property with the text, or several, whose texts are joined with a line feed. @default 'text' */
	readonly text?: string | readonly string[] | undefined;
	/** Column or property with the title; `false` if there is none. @default 'title', if the file has it */
	readonly title?: string | false | undefined;
	/**
	The columns or properties to keep as fields: an array of their names, or an object that maps the name of each field to its type or to a
	`DocumentField`. `true` keeps all columns or properties other than the id, text and title; `false` keeps none. @default true
	*/
	readonly fields?: boolean | readonly string[] | Readonly<Record<string, DocumentFieldType | DocumentField>> | undefined;
}

/** A field of a checked mapping: where its values come from, and how they are converted. */
export interface FieldRule {
	readonly name: string;
	readonly from: string;
	readonly type: DocumentFieldType | undefined;
	readonly separator: string | RegExp;
}

/** A validated mapping, with the defaults filled in. */
export interface CheckedMapping {
	readonly id: string;
	readonly text: readonly string[];
	/** `undefined` if the documents have no title. */
	readonly title: string | undefined;
	/** Whether the user named the title. If so, a table must have that column. */
	readonly isTitleNamed: boolean;
	/** `undefined` keeps all columns or properties other than the id, text and title. */
	readonly fields: readonly FieldRule[] | undefined;
}

const mappingOptions: OptionNames = optionNames<DocumentMapping>({id: true, text: true, title: true, fields: true});
const fieldOptions: OptionNames = optionNames<DocumentField>({from: true, type: true, separator: true});

/** The default separators of the strings in a text. */
const SEPARATORS = /[|;]/u;

/** Validates a mapping and fills in the defaults. Fails with `ERR_ARGUMENT` if the mapping is invalid. */
export function checkedMapping(mapping: DocumentMapping = {}): CheckedMapping {
	checkRequiredOptions('mapping', mapping, mappingOptions);
	const {id = 'id', text = 'text', title, fields = true} = mapping;
	checkName('mapping: id', id);
	const texts = isArray(text) ? text : [text];
	for (const [i, name] of texts.entries()) {
		checkName(isArray(text) ? `mapping: text[${i}]` : 'mapping: text', name);
	}
	if (texts.length === 0) {
		throw new RetrievalError('ERR_ARGUMENT', 'mapping: text: expected one or more names, got an empty array');
	}
	if (title !== undefined && title !== false) {
		checkName('mapping: title', title);
	}
	return {
		id,
		text: [...texts],
		title: title === false ? undefined : (title ?? 'title'),
		isTitleNamed: typeof title === 'string',
		fields: fields === true ? undefined : fields === false ? [] : checkedFields(fields),
	};
}

function checkedFields(fields: unknown): FieldRule[] {
	if (isArray(fields)) {
		checkArray('mapping: fields', fields, 'names');
		return fields.map((name, i) => {
			checkName(`mapping: fields[${i}]`, name);
			if (fields.indexOf(name) !== i) {
				throw new RetrievalError('ERR_ARGUMENT', `mapping: fields[${i}]: expected distinct names, got ${JSON.stringify(name)} again`);
			}
			return fieldRule(name, {});
		});
	}
	if (!isPlain(fields)) {
		throw new RetrievalError('ERR_ARGUMENT', `mapping: fields: expected a boolean, an array or an object of names, got ${kindOf(fields)}`);
	}
	return Object.entries(fields).map(([name, field]) => {
		const what = `mapping: fields.${name}`;
		checkName('mapping: fields: name', name);
		if (typeof field === 'string') {
			checkOneOf(what, field, fieldTypes);
			return fieldRule(name, {type: field});
		}
		checkRequiredOptions(what, field, fieldOptions);
		const {from, type, separator} = field as DocumentField;
		if (from !== undefined) {
			checkName(`${what}: from`, from);
		}
		if (type !== undefined) {
			checkOneOf(`${what}: type`, type, fieldTypes);
		}
		if (separator !== undefined) {
			checkName(`${what}: separator`, separator);
			if (type !== 'strings') {
				throw new RetrievalError('ERR_ARGUMENT', `${what}: separator: expected only with the type strings, got ${type ?? 'no type'}`);
			}
		}
		return fieldRule(name, {from, type, separator});
	});
}

function fieldRule(name: string, {from = name, type, separator = ''}: DocumentField): FieldRule {
	return {name, from, type, separator: separator === '' ? SEPARATORS : separator};
}

function checkName(what: string, value: unknown): asserts value is string {
	checkString(what, value);
	if (value === '') {
		throw new RetrievalError('ERR_ARGUMENT', `${what}: expected one or more characters, got an empty string`);
	}
}
