/** The command `passagekit doctor`, which checks the installation, or checks and repairs a BM25 index or a collection. */
import {existsSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import type {Command} from 'commander';
import {platformName} from '../../core/native/addon.ts';
import {Collection} from '../../collection/index.ts';
import {parts} from '../../collection/manifest.ts';
import {RetrievalError} from '../../core/errors.ts';
import {ownModelFolder, ownModels} from '../../models/resolve.ts';
import {findRuntimeLibrary} from '../../onnx/runtime-library.ts';
import {Bm25Index} from '../../sparse/index.ts';
import {isLive} from '../collections.ts';
import {amountOf, print, printJson, styled} from '../output.ts';

/** The result of one check, as `--json` prints it. */
interface Finding {
	/** What was checked. */
	readonly what: string;
	readonly ok: boolean;
	/** What was found, or the error message. */
	readonly is: string;
}

export function registerDoctor(program: Command): void {
	program
		.command('doctor')
		.description('check this installation, or check and repair a BM25 index or a collection')
		.option(
			'--repair <folder>',
			'check the files of the BM25 index or the collection in this folder; in a collection of `passagekit add`, missing and damaged files with postings (`.impacts`) are rebuilt',
		)
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit doctor --repair passagekit-index')
		.action(async ({json, repair}: {readonly json?: boolean; readonly repair?: string}) => {
			const findings = repair === undefined ? await checkInstallation() : [await examined(repair)];
			const ok = findings.every(finding => finding.ok);
			if (json) {
				printJson({ok, findings});
			} else {
				const size = Math.max(...findings.map(({what}) => what.length));
				print(
					findings
						.map(({what, ok: passed, is}) => `${passed ? styled('green', '✓') : styled('yellow', '✗')} ${what.padEnd(size)}  ${is}`)
						.join('\n'),
				);
			}
			if (!ok) {
				process.exitCode = 1;
			}
		});
}

/** Runs a check. If `examine` throws, the check has failed, and the finding contains the error message. */
async function check(what: string, examine: () => string | Promise<string>): Promise<Finding> {
	try {
		return {what, ok: true, is: await examine()};
	} catch (error) {
		return {what, ok: false, is: (error as Error).message};
	}
}

/** Checks the BM25 index or the collection in a folder, and repairs what can be repaired. */
async function examined(folder: string): Promise<Finding> {
	if (await isLive(folder)) {
		return check('collection', async () => repairedCollection(folder));
	}
	const isCollection = existsSync(join(folder, parts.manifest));
	return check('BM25 index', async () => repaired(isCollection ? join(folder, parts.bm25) : folder));
}

/** Checks an updatable collection. If files with postings are missing or damaged, they are made again from the stored passages. */
async function repairedCollection(folder: string): Promise<string> {
	try {
		const {rebuiltFiles} = await Bm25Index.repair(join(folder, parts.bm25));
		await using collection = await Collection.open(folder, {verify: true});
		const {documents, generation} = await collection.stats();
		return outcome(rebuiltFiles, `intact, ${amountOf(documents, 'document')} after ${amountOf(generation, 'commit')}`);
	} catch (error) {
		if (!(error instanceof RetrievalError) || error.code !== 'ERR_INDEX_CORRUPT') {
			throw error;
		}
		const remedy = 'this cannot be repaired: restore the folder of the collection from a backup, or add the documents to a new one';
		throw new RetrievalError(error.code, `${error.message}; ${remedy}`, {cause: error});
	}
}

/** Repairs a BM25 index and returns what was done. */
async function repaired(folder: string): Promise<string> {
	const {rebuiltFiles} = await Bm25Index.repair(folder);
	return outcome(rebuiltFiles, 'intact');
}

/** Returns what was done, and the state after it. */
function outcome(rebuiltFiles: number, state: string): string {
	return rebuiltFiles > 0 ? `${amountOf(rebuiltFiles, 'file')} rebuilt; ${state}` : `${state}; nothing to repair`;
}

async function checkInstallation(): Promise<Finding[]> {
	return [
		{what: 'platform', ok: true, is: `${platformName()}, Node ${process.versions.node}, ${availableParallelism()} cores`},
		await check('addon', async () => {
			const {native} = await import('../../core/native/native.ts');
			const {version, level, supportedLevels, hasBf16} = native.systemInfo();
			const others = supportedLevels.filter(name => name !== level).join(', ') || 'no others';
			return `version ${version}, ${level} kernels${hasBf16 ? ', bfloat16 for training' : ''} (PASSAGEKIT_CPU can force ${others})`;
		}),
		// passagekit itself runs most models, so the installation is complete without ONNX Runtime, unless the user names a library.
		await check('ONNX Runtime', () => {
			const {path, version} = findRuntimeLibrary();
			return version === undefined ? path : `onnxruntime-node ${version}`;
		}).then(({what, ok, is}) => ({
			what,
			ok: ok || !process.env['PASSAGEKIT_ONNXRUNTIME'],
			is: ok ? is : `not needed for models like BERT, and not found: ${is}`,
		})),
		await check('models', () => {
			const installed = ownModels.filter(name => ownModelFolder(name) !== undefined);
			return installed.length > 0
				? installed.join(', ')
				: "passagekit's own models are not installed: run `npm install @passagekit/minilm-encoder @passagekit/minilm-reader`, or name a model with --encoder or --reader";
		}),
	];
}
