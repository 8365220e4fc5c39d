// Formats the results of benches/training as tables in Markdown.
import type {Figure} from '../qps/statistics/statistics.ts';
import type {DataResult, Results, SystemSpeed} from './definition.ts';

/** Returns the tables of a record. */
export function tables({versions, data, large}: Results): string {
	return [
		`${versions.passagekit}; ${versions.pytorch}`,
		...Object.entries(data).flatMap(([name, result]) => ['', `### ${name}`, '', ...dataLines(result)]),
		'',
		`Large batches of ${large.tokensPerStep} tokens: passagekit has ${large.tokensPerSecond} tokens per second and needs ${megabytes(large.peakBytes)}.`,
	].join('\n');
}

function dataLines({tokensPerStep, paddedTokensPerStep, agreement, speeds}: DataResult): string[] {
	const rows = speeds.flatMap(({threads, passagekit, pytorch, pytorchDefaultMalloc, wallRatio, cpuRatio, memoryRatio}) => {
		const row = (what: string, cell: (system: SystemSpeed) => string, ratio: string): string =>
			`| ${threads} | ${what} | ${[passagekit, pytorch, pytorchDefaultMalloc].map(cell).join(' | ')} | ${ratio} |`;
		return [
			row('tokens per second', ({tokensPerSecond}) => `${tokensPerSecond.median}`, rangeText(wallRatio)),
			row('tokens per CPU-second', ({tokensPerCpuSecond}) => `${tokensPerCpuSecond.median}`, rangeText(cpuRatio)),
			row('peak memory', ({peakBytes}) => megabytes(peakBytes), memoryRatio === undefined ? '–' : `1/${memoryRatio.toFixed(2)}`),
			row('not mapped from files', ({anonBytes}) => megabytes(anonBytes), ''),
		];
	});
	return [
		`${tokensPerStep} tokens per step, ${paddedTokensPerStep} with PyTorch's padding. Greatest differences in ${agreement.steps} steps: loss ${scientific(agreement.maxLossDifference)}, norm of gradients ${scientific(agreement.maxGradientNormDifference)} (${scientific(agreement.maxRelativeGradientNormDifference)} of the norm).`,
		'',
		'| threads | | passagekit | PyTorch | PyTorch, default malloc | ratio (range) |',
		'|--:|---|--:|--:|--:|--:|',
		...rows,
	];
}

const rangeText = ({median, least, most}: Figure): string => `${median.toFixed(2)} (${least.toFixed(2)}–${most.toFixed(2)})`;
const megabytes = (bytes: number | undefined): string => (bytes === undefined ? '–' : `${Math.round(bytes / 1e6)} MB`);
const scientific = (value: number): string => value.toExponential(1);
