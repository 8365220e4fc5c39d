/** Parses the flag `--fields` of `passagekit add`. */
import {InvalidArgumentError} from 'commander';
import type {DocumentField, DocumentFieldType} from '../../corpus/index.ts';

const fieldTypes: readonly DocumentFieldType[] = ['string', 'number', 'boolean', 'date', 'strings'];

/**
Parses a list such as `category,price:number,writer=author.name`. Each part names a column or property. A colon and
the type of the field may follow it. A different name for the field and an equals sign may precede it.
*/
export function fieldList(text: string): Record<string, DocumentField> {
	const fields = new Map<string, DocumentField>();
	for (const part of text.split(',').map(part => part.trim())) {
		const [, named, from, type] = /^(?:([^=]*)=)?(.*?)(?::([^:]*))?$/su.exec(part)!;
		const name = named ?? from!;
		if (name === '' || from === '') {
			throw new InvalidArgumentError(`expected names such as category,price:number,writer=author.name, got "${text}"`);
		}
		if (type !== undefined && !(fieldTypes as readonly string[]).includes(type)) {
			throw new InvalidArgumentError(`expected one of the types ${fieldTypes.join(', ')} after "${from}:", got "${type}"`);
		}
		if (fields.has(name)) {
			throw new InvalidArgumentError(`expected different names, got "${name}" twice`);
		}
		fields.set(name, {from: from!, ...(type === undefined ? {} : {type: type as DocumentFieldType})});
	}
	return Object.fromEntries(fields);
}
