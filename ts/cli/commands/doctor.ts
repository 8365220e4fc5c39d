import {existsSync} from 'node:fs';
import {availableParallelism} from 'node:os';
import {join} from 'node:path';
import type {Command} from 'commander';
import {packageRoot, platformName} from '../../addon.ts';
import {ownModels} from '../../models/resolve.ts';
import {findRuntimeLibrary} from '../../onnx/runtime-library.ts';
import {print, printJson, styled} from '../output.ts';

interface Finding {
	readonly what: string;
	readonly ok: boolean;
	readonly is: string;
}

export function registerDoctor(program: Command): void {
	program
		.command('doctor')
		.description('tell what this installation has and lacks')
		.option('--json', 'print one JSON object')
		.action(async ({json}: {readonly json?: boolean}) => {
			const findings = await examine();
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

async function examine(): Promise<Finding[]> {
	const found = async (what: string, look: () => string | Promise<string>): Promise<Finding> => {
		try {
			return {what, ok: true, is: await look()};
		} catch (error) {
			return {what, ok: false, is: (error as Error).message};
		}
	};
	return [
		{what: 'platform', ok: true, is: `${platformName()}, Node ${process.versions.node}, ${availableParallelism()} cores`},
		await found('addon', async () => {
			const {native} = await import('../../native.ts');
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
				: "none of passagekit's own in this package; `npm install @passagekit/models`, or name a model with --model";
		}),
	];
}
