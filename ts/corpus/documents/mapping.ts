/** Which columns or properties of a file are the id, the text, the title and the fields of a document. */
import {checkArray, checkOneOf, checkString, isArray, isPlain, kindOf} from '../../core/checks.ts';
import {RetrievalError} from '../../core/errors.ts';
import {type OptionNames, checkRequiredOptions, optionNames} from '../../core/options.ts';

/**
Types of fields. Each also accepts the text of a table's cell:

- `string`: the text; from JSON, also a number or a boolean, as text.
- `number`: a decimal number such as `-1.5e3`.
- `boolean`: `true`, `false`, `yes`, `no`, `1` or `0`, in upper or lower case.
- `date`: a date in the format of ISO 8601, such as `2024-03-01` or `2024-03-01T12:00:00+01:00`, which becomes a string in the format
  of `Date.toISOString()`. Without an offset, the time is UTC.
- `strings`: an array of strings, or a text with separators, which is split.
*/
export type DocumentFieldType = 'string' | 'number' | 'boolean' | 'date' | 'strings';

const fieldTypes: readonly DocumentFieldType[] = ['string', 'number', 'boolean', 'date', 'strings'];

/** Where a field comes from. */
export interface DocumentField {
	/** Column, or property such as `author.name`. @default the name of the field */
	readonly from?: string | undefined;
	/** Type of the values. @default text for the columns of tables; the type that the value has in JSON */
	readonly type?: DocumentFieldType | undefined;
	/** What separates the values of a text with the type `strings`. @default '|' and ';' */
	readonly separator?: string | undefined;
}

/**
Says which columns of a table, or properties of JSON objects, become which parts of a document. A property of an inner object has a path as
name, such as `author.name`.

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
	Columns or properties to keep as fields: their names, or the names of the fields with types or with their origin. `true` keeps all that
	are not id, text or title; `false` keeps none. @default true
	*/
	readonly fields?: boolean | readonly string[] | Readonly<Record<string, DocumentFieldType | DocumentField>> | undefined;
}

/** A field with its origin. */
export interface FieldRule {
	readonly name: string;
	readonly from: string;
	readonly type: DocumentFieldType | undefined;
	readonly separator: string | RegExp;
}

/** A valid mapping with its defaults. */
export interface CheckedMapping {
	readonly id: string;
	readonly text: readonly string[];
	readonly title: string | undefined;
	/** Whether the title was named, so that a table must have its column. */
	readonly isTitleNamed: boolean;
	/** `undefined` to keep all columns and properties that are not id, text or title. */
	readonly fields: readonly FieldRule[] | undefined;
}

const mappingOptions: OptionNames = optionNames<DocumentMapping>({id: true, text: true, title: true, fields: true});
const fieldOptions: OptionNames = optionNames<DocumentField>({from: true, type: true, separator: true});

/** What separates the values of a text by default. */
const SEPARATORS = /[|;]/u;

/** Fails with `ERR_ARGUMENT` if a mapping is invalid. */
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
				throw new RetrievalError('ERR_ARGUMENT', `mapping: fields[${i}]: expected different names, got ${JSON.stringify(name)} again`);
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
				throw new RetrievalError('ERR_ARGUMENT', `${what}: separator: expected it with the type strings only, got ${type ?? 'no type'}`);
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
