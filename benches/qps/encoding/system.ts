// A system that encodes (README.md has the requests).
import {join} from 'node:path';
import {System, here} from '../system.ts';

/** `tokenise`: ids of all texts; `one`: their vectors, one text at a time; `batch`: their vectors, all texts at hand. */
export type Task = 'tokenise' | 'one' | 'batch';

/** A line of a definition's table. */
export interface Entry {
	readonly name: string;
	/** A folder of systems/. */
	readonly system: string;
}

export interface Round {
	readonly wallNanos: number;
	/** Of the process. */
	readonly cpuNanos: number;
	/** Wall time of each text; empty where they are done together. */
	readonly queryNanos: readonly number[];
}

export interface WorkRequest {
	/** A folder with the model in every layout that systems ask for. */
	readonly model: string;
	readonly maxTokens: number;
	readonly task: Task;
	/** A file with one text a line. */
	readonly texts: string;
	/** A file to write what was made to: vectors as f32 `[texts, dim]`, ids as u32, each text's after how many they are. */
	readonly found?: string;
}

/** The folder of an entry's system, below benches/qps. */
export const folderOf = ({system}: Pick<Entry, 'system'>): string => join('encoding', 'systems', system);

/** A running system. */
export class EncodingSystem extends System {
	constructor(entry: Entry) {
		super(join(here, folderOf(entry)));
	}

	async work(request: WorkRequest): Promise<Round> {
		return this.ask<Round>({verb: 'work', ...request});
	}
}
