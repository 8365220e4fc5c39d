/** Finds circular imports. The import graphs come from `typescript-imports.ts` and `rust-imports.ts`. */
import {readdirSync} from 'node:fs';
import {join} from 'node:path';

/** Maps each file to the files that it imports. */
export type FileGraph = ReadonlyMap<string, ReadonlySet<string>>;

/** Returns all files below a folder, except build outputs and installed packages. */
export function filesBelow(folder: string): string[] {
	return readdirSync(folder, {withFileTypes: true})
		.filter(({name}) => !['node_modules', 'target', '.cache'].includes(name))
		.flatMap(entry => {
			const path = join(folder, entry.name);
			return entry.isDirectory() ? filesBelow(path) : [path];
		});
}

/**
Returns the circular imports of a graph: its strongly connected components with two or more files (Tarjan, 1972). Each file is
in at most one of them.

@example
```
importCycles(new Map([['a', new Set(['b'])], ['b', new Set(['a', 'c'])]]));
//=> [['a', 'b']]
```
*/
export function importCycles(graph: FileGraph): string[][] {
	const cycles: string[][] = [];
	/** Maps each visited file to its position in the order of visits. */
	const index = new Map<string, number>();
	/** The smallest index that can be reached through files on the stack. */
	const lowLink = new Map<string, number>();
	const stack: string[] = [];
	const visit = (file: string): void => {
		index.set(file, index.size);
		lowLink.set(file, index.get(file)!);
		stack.push(file);
		for (const target of graph.get(file) ?? []) {
			if (!index.has(target)) {
				visit(target);
				lowLink.set(file, Math.min(lowLink.get(file)!, lowLink.get(target)!));
			} else if (stack.includes(target)) {
				lowLink.set(file, Math.min(lowLink.get(file)!, index.get(target)!));
			}
		}
		if (lowLink.get(file) === index.get(file)) {
			const component = stack.splice(stack.indexOf(file));
			if (component.length > 1) {
				cycles.push(component.toSorted());
			}
		}
	};
	for (const file of graph.keys()) {
		if (!index.has(file)) {
			visit(file);
		}
	}
	return cycles;
}
