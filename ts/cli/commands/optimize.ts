/**
The command `passagekit optimize`, which merges the segments of an updatable collection and inserts its remaining
vectors into the graph.
*/
import type {Command} from 'commander';
import {bytesOf, openLive} from '../collections.ts';
import {count, defaultIndex} from '../options.ts';
import {print, printJson} from '../output.ts';
import {ProgressBar, bytes, duration} from '../progress.ts';

interface OptimizeFlags {
	readonly collection: string;
	readonly threads?: number;
	readonly quiet?: boolean;
	readonly json?: boolean;
}

export function registerOptimize(program: Command, signal: AbortSignal): void {
	program
		.command('optimize')
		.description('make searches of a collection as fast as possible, and remove the data of deleted and replaced documents from its files')
		.option('-c, --collection <folder>', 'collection made by `passagekit add`', defaultIndex)
		.option('--threads <n>', 'number of threads that insert the remaining vectors into the graph (default: all cores)', count(1))
		.option('--quiet', 'print no progress and no summary')
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit optimize --collection shop')
		.action(async (flags: OptimizeFlags) => {
			const startedAt = performance.now();
			const collection = await openLive('optimize', flags.collection);
			const bar = flags.quiet ? undefined : new ProgressBar('optimize', 'vectors');
			try {
				const before = await bytesOf(flags.collection);
				await collection
					.optimize({threads: flags.threads, signal, onProgress: progress => bar?.update(progress)})
					.finally(() => bar?.end());
				const {documents, passages, segments} = await collection.stats();
				await collection.close();
				const after = await bytesOf(flags.collection);
				const milliseconds = performance.now() - startedAt;
				if (flags.json) {
					printJson({
						collection: flags.collection,
						documents,
						passages,
						segments,
						bytesBefore: before,
						bytes: after,
						milliseconds: Math.round(milliseconds),
					});
				} else if (!flags.quiet) {
					print(`${flags.collection} optimized in ${duration(milliseconds / 1000)}: ${bytes(before)} before, ${bytes(after)} now`);
				}
			} finally {
				await collection.close({discard: true});
			}
		});
}
