/** The command `passagekit doctor`, which checks the installation or repairs a BM25 index. */
import {existsSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import type {Command} from 'commander';
import {packageRoot, platformName} from '../../core/native/addon.ts';
import {parts} from '../../collection/manifest.ts';
import {RetrievalError} from '../../core/errors.ts';
import {ownModels} from '../../models/resolve.ts';
import {findRuntimeLibrary} from '../../onnx/runtime-library.ts';
import {Bm25Index} from '../../sparse/index.ts';
import {print, printJson, styled} from '../output.ts';

interface Finding {
	readonly what: string;
	readonly ok: boolean;
	readonly is: string;
}

export function registerDoctor(program: Command): void {
	program
		.command('doctor')
		.description('check this installation, or repair a BM25 index')
		.option('--repair <folder>', 'repair the BM25 index in this folder, or that of the collection there, and check its files')
		.option('--json', 'print one JSON object')
		.action(async ({json, repair}: {readonly json?: boolean; readonly repair?: string}) => {
			const findings = repair === undefined ? await examine() : [await found('BM25 index', async () => repaired(repair))];
			const ok = findings.every(finding => finding.ok);
			if (json) {
				printJson({ok, findings});
			} else {
				const size = Math.max(...findings.map(({what}) => what.length));
				print(
					findings
						.map(({what, ok: good, is}) => `${good ? styled('green', '✓') : styled('yellow', '✗')} ${what.padEnd(size)}  ${is}`)
						.join('\n'),
				);
			}
			if (!ok) {
				process.exitCode = 1;
			}
		});
}

async function found(what: string, look: () => string | Promise<string>): Promise<Finding> {
	try {
		return {what, ok: true, is: await look()};
	} catch (error) {
		return {what, ok: false, is: (error as Error).message};
	}
}

/** Reports what a repair did. Lost passages count as a failure, because the user must add them again. */
async function repaired(folder: string): Promise<string> {
	const isCollection = existsSync(join(folder, parts.manifest));
	const {rebuiltFiles, restored, lost} = await Bm25Index.repair(isCollection ? join(folder, parts.bm25) : folder);
	const did = [
		...(restored > 0 ? [`${restored} passages were restored`] : []),
		...(rebuiltFiles > 0 ? [`${rebuiltFiles} missing files were rebuilt`] : []),
	].join(', ');
	if (lost > 0) {
		const rest = isCollection ? 'build the collection again' : 'add them again';
		throw new RetrievalError('ERR_INDEX_CORRUPT', `${lost} passages are lost; all others can be found; ${rest}${did && `; ${did}`}`);
	}
	return did || 'intact; nothing to repair';
}

async function examine(): Promise<Finding[]> {
	return [
		{what: 'platform', ok: true, is: `${platformName()}, Node ${process.versions.node}, ${availableParallelism()} cores`},
		await found('addon', async () => {
			const {native} = await import('../../core/native/native.ts');
			const {version, kernels, availableKernels} = native.systemInfo();
			return `version ${version}, ${kernels} kernels (this CPU also has ${availableKernels.filter(name => name !== kernels).join(', ') || 'no other'})`;
		}),
		await found('model runtime', async () => {
			const {path, version} = findRuntimeLibrary();
			return version === undefined ? `ONNX Runtime at ${path}` : `onnxruntime-node ${version}`;
		}),
		await found('models', () => {
			const here = ownModels.filter(name => existsSync(join(packageRoot, 'models', name)));
			return here.length > 0
				? here.join(', ')
				: "none of passagekit's own in this package; `npm install @passagekit/models`, or name a model with --encoder or --reader";
		}),
	];
}
