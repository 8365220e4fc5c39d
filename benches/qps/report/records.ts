// Records by name: that of a file, or the newest of a definition.
import {existsSync, readFileSync, readdirSync, statSync} from 'node:fs';
import {join} from 'node:path';
import {type QpsRecord, parseRecord} from './record.ts';

/** A folder of records, read once. */
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

	/** The newest of each definition, by name. */
	newest(): readonly QpsRecord[] {
		const names = [...new Set(this.#all.map(({definition}) => definition.name))];
		return names.toSorted().map(name => this.#of(name)[0]!);
	}

	/** A file's record, or the newest of a definition. Fails where there is neither. */
	find(named: string): QpsRecord {
		if (isFile(named)) {
			return parseRecord(readFileSync(named, 'utf8'), named);
		}
		const [newest] = this.#of(named);
		if (!newest) {
			throw new Error(`expected a file or a definition with a record in ${this.#folder}, got ${named}`);
		}
		return newest;
	}

	/** What a record is compared with: a file's record, or of a definition the newest that is older. Fails where there is none. */
	before(record: QpsRecord, named: string = record.definition.name): QpsRecord {
		if (isFile(named)) {
			return this.find(named);
		}
		const older = this.#of(named).find(({machine}) => machine.date < record.machine.date);
		if (!older) {
			throw new Error(`expected a record of ${named} older than ${record.machine.date} in ${this.#folder}, got none`);
		}
		return older;
	}

	#of(name: string): readonly QpsRecord[] {
		return this.#all.filter(({definition}) => definition.name === name);
	}
}

const isFile = (path: string): boolean => statSync(path, {throwIfNoEntry: false})?.isFile() ?? false;
