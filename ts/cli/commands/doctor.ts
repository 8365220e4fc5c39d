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
		.description('check this installation, or repair a BM25 index')
		.option(
			'--repair <folder>',
			'repair the BM25 index in this folder, or the one of the collection in this folder, and check its files; in a collection of `passagekit add`, files with postings are repaired, and others are only checked',
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

/** Checks the BM25 index or the updatable collection in a folder, and repairs what can be repaired. */
async function examined(folder: string): Promise<Finding> {
	return (await isLive(folder))
		? check('collection', async () => repairedCollection(folder))
		: check('BM25 index', async () => repaired(folder));
}

/**
Checks an updatable collection. If a file with postings is missing or damaged, it is made again from the stored passages. Other parts are
only checked, because they must match each other.
*/
async function repairedCollection(folder: string): Promise<string> {
	const verified = async (): Promise<string> => {
		await using collection = await Collection.open(folder, {verify: true});
		const {documents, generation} = await collection.stats();
		return `intact, ${amountOf(documents, 'document')} after ${amountOf(generation, 'commit')}`;
	};
	try {
		return `${await verified()}; nothing to repair`;
	} catch (error) {
		const code = error instanceof RetrievalError ? error.code : 'ERR_INTERNAL';
		if (code === 'ERR_INDEX_CORRUPT') {
			const repair = await Bm25Index.repair(join(folder, parts.bm25)).catch(() => undefined);
			if (repair && repair.rebuiltFiles > 0) {
				return `${rebuilt(repair.rebuiltFiles)}; ${await verified()}`;
			}
		}
		const remedy = 'this cannot be repaired: restore the folder of the collection from a backup, or add the documents to a new one';
		throw new RetrievalError(code, `${(error as Error).message}; ${remedy}`, {cause: error});
	}
}

function rebuilt(files: number): string {
	return files === 1 ? '1 file was rebuilt' : `${files} files were rebuilt`;
}

/** Repairs a BM25 index and returns what was done. Fails if passages are lost, because the user must add them again. */
async function repaired(folder: string): Promise<string> {
	const isCollection = existsSync(join(folder, parts.manifest));
	const {rebuiltFiles, restored, lost} = await Bm25Index.repair(isCollection ? join(folder, parts.bm25) : folder);
	const actions = [
		...(restored > 0 ? [restored === 1 ? '1 passage was restored' : `${restored} passages were restored`] : []),
		...(rebuiltFiles > 0 ? [rebuilt(rebuiltFiles)] : []),
	].join(', ');
	if (lost > 0) {
		const remedy = isCollection ? 'build the collection again' : 'add them again';
		throw new RetrievalError(
			'ERR_INDEX_CORRUPT',
			`${lost === 1 ? '1 passage is' : `${lost} passages are`} lost, all others can be found; ${remedy}${actions && `; ${actions}`}`,
		);
	}
	return actions || 'intact; nothing to repair';
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
