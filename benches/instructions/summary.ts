// Reads gungraun's output with `--output-format=json`: one JSON object per case, each on a line (schema 7).
import type {Counts} from './compare.ts';

/** The fields that `countsOf` reads. */
interface Summary {
	/** `instructions::group::function` */
	readonly module_path: string;
	readonly id?: string;
	readonly profiles: ReadonlyArray<{
		readonly tool: string;
		/** `values` also has the counts of the last run, if there was one. */
		readonly data: {readonly total: {readonly metrics: {readonly Ir: {readonly values: {readonly new: number}}}}};
	}>;
}

/**
Returns the number of instructions by the name of the case, `group::function::id`, sorted by name.

@throws {Error} If a line is not a summary with a count of instructions, if a case occurs twice, or if there is no case.
*/
export function countsOf(lines: string): Counts {
	const counts: Record<string, number> = {};
	for (const line of lines.split('\n').filter(text => text.trim() !== '')) {
		const {module_path: path, id, profiles} = parsed(line);
		const name = [...path.split('::').slice(1), ...(id === undefined ? [] : [id])].join('::');
		const instructions = profiles.find(({tool}) => tool === 'Callgrind')?.data.total.metrics.Ir.values.new;
		if (!Number.isSafeInteger(instructions) || counts[name] !== undefined) {
			throw new Error(`expected one count of instructions for ${name}, got ${instructions} after ${counts[name] ?? 'none'}`);
		}
		counts[name] = instructions!;
	}
	if (Object.keys(counts).length === 0) {
		throw new Error('expected a line for each case, got none');
	}
	return Object.fromEntries(Object.entries(counts).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}

function parsed(line: string): Summary {
	try {
		return JSON.parse(line) as Summary;
	} catch (error) {
		throw new Error(`expected a summary in JSON, got ${line.slice(0, 80)}`, {cause: error});
	}
}
