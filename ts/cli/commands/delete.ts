/** The command `passagekit delete`, which deletes documents from an updatable collection. */
import type {Command} from 'commander';
import type {Filter} from '../../core/filters/filter.ts';
import {openLive} from '../collections.ts';
import {UsageError} from '../errors.ts';
import {defaultIndex, filter} from '../options.ts';
import {amountOf, print, printJson} from '../output.ts';

interface DeleteFlags {
	readonly collection: string;
	readonly filter?: Filter;
	readonly json?: boolean;
}

export function registerDelete(program: Command, signal: AbortSignal): void {
	program
		.command('delete')
		.description('delete documents by their ids, or those that match a filter')
		.argument('[ids...]', 'ids of documents; unknown ids are ignored')
		.option('-c, --collection <folder>', 'collection made by `passagekit add`', defaultIndex)
		.option('-f, --filter <json>', 'which documents to delete, instead of ids', filter)
		.option('--json', 'print one JSON object')
		.addHelpText(
			'after',
			`
Examples:
  $ passagekit delete lamp-7 lamp-8 --collection shop
  $ passagekit delete --filter '{"inStock":false}' --collection shop`,
		)
		.action(async (ids: string[], flags: DeleteFlags) => {
			if (ids.length > 0 === (flags.filter !== undefined)) {
				throw new UsageError('delete: expected either ids of documents, or --filter JSON');
			}
			const collection = await openLive('delete', flags.collection);
			try {
				const deleted = await collection.delete(flags.filter === undefined ? ids : {filter: flags.filter});
				signal.throwIfAborted();
				await collection.commit();
				const {documents} = await collection.stats();
				if (flags.json) {
					printJson({collection: flags.collection, deleted, documents});
				} else {
					print(`${amountOf(deleted, 'document')} deleted; ${flags.collection} has ${amountOf(documents, 'document')}`);
				}
			} finally {
				await collection.close({discard: true});
			}
		});
}
