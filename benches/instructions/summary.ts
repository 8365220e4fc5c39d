// Reads the output of gungraun with `--output-format=json`: one JSON object (a summary) per case, each on its own line (schema 7).
import type {Counts} from './compare.ts';

/** The fields that `countsOf` reads. */
interface Summary {
	/** For example, `instructions::group::function`. */
	readonly module_path: string;
	/** The name of the function's argument, such as `dim_384`. */
	readonly id?: string;
	readonly profiles: ReadonlyArray<{
		readonly tool: string;
		/** `Ir` is the number of instructions. `values` also has the count of the previous run, if there was one. */
		readonly data: {readonly total: {readonly metrics: {readonly Ir: {readonly values: {readonly new: number}}}}};
	}>;
}

/**
Returns the number of instructions of each case. The keys are the names of the cases, `group::function::id`, in sorted order.

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

/** Parses a line, and fails with a short message if it is not JSON. */
function parsed(line: string): Summary {
	try {
		return JSON.parse(line) as Summary;
	} catch (error) {
		throw new Error(`expected a summary in JSON, got ${line.slice(0, 80)}`, {cause: error});
	}
}
