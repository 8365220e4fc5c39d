// Finds records by the path of a file, or by the name of a definition, which stands for its newest record.
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {type QpsRecord, parseRecord} from './record.ts';

/** The records in a folder. All files are read by the constructor. */
export class Records {
	readonly #folder: string;
	readonly #all: readonly QpsRecord[];

	constructor(folder: string) {
		this.#folder = folder;
		const files = existsSync(folder) ? readdirSync(folder).filter(file => file.endsWith('.json')) : [];
		this.#all = files
			.map(file => parseRecord(readFileSync(join(folder, file), 'utf8'), file))
			.toSorted((a, b) => b.machine.date.localeCompare(a.machine.date));
	}

	/** Returns the newest record of each definition, in alphabetical order of the definitions. */
	newest(): readonly QpsRecord[] {
		const names = [...new Set(this.#all.map(({definition}) => definition.name))];
		return names.toSorted().map(name => this.#recordsOf(name)[0]!);
	}

	/** Returns the record in the file `name`, or the newest record of the definition `name`. Fails if there is neither. */
	find(name: string): QpsRecord {
		if (isFile(name)) {
			return parseRecord(readFileSync(name, 'utf8'), name);
		}
		const [newest] = this.#recordsOf(name);
		if (!newest) {
			throw new Error(`expected a file or a definition with a record in ${this.#folder}, got ${name}`);
		}
		return newest;
	}

	/**
	Returns the record to compare `record` with: the record in the file `name`, or the newest record of the definition `name`
	among those that are older than `record`. Fails if there is none. By default, `name` is the definition of `record`.
	*/
	before(record: QpsRecord, name: string = record.definition.name): QpsRecord {
		if (isFile(name)) {
			return this.find(name);
		}
		const older = this.#recordsOf(name).find(({machine}) => machine.date < record.machine.date);
		if (!older) {
			throw new Error(`expected a record of ${name} older than ${record.machine.date} in ${this.#folder}, got none`);
		}
		return older;
	}

	/** Returns all records of the definition `name`, from the newest to the oldest. Fails if there is none. */
	all(name: string): readonly QpsRecord[] {
		this.find(name);
		return this.#recordsOf(name);
	}

	/** Returns the records of a definition, from the newest to the oldest. */
	#recordsOf(definitionName: string): readonly QpsRecord[] {
		return this.#all.filter(({definition}) => definition.name === definitionName);
	}
}

const isFile = (path: string): boolean => statSync(path, {throwIfNoEntry: false})?.isFile() ?? false;
