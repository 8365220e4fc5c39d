/** The command `passagekit bench`, which runs the quick benchmark and prints one table per index and one for the encoder. */
import type {Command} from 'commander';
import {type QuickBench, type QuickBenchGroup, quickBench} from '../../bench/index.ts';
import {spread} from '../../bench/statistics.ts';
import {count, number} from '../options.ts';
import {note, print, printJson, styled} from '../output.ts';
import {ProgressBar, bytes, duration} from '../progress.ts';
import {table} from '../table.ts';

interface BenchFlags {
	readonly passages: number;
	readonly vectors: number;
	readonly dim: number;
	readonly k: number;
	readonly recall: number;
	readonly rounds: number;
	readonly encoder: string | false;
	readonly json?: boolean;
}

export function registerBench(program: Command, signal: AbortSignal): void {
	program
		.command('bench')
		.description('measure queries per second on this machine in about a minute, with data that passagekit contains or generates')
		.option('--passages <n>', 'number of passages of 100 words, made from the encyclopedia', count(1), 20_000)
		.option('--vectors <n>', 'number of random vectors', count(1), 20_000)
		.option('--dim <n>', 'dimension of the vectors', count(1), 384)
		.option('-k, --k <n>', 'number of hits per query', count(1), 10)
		.option('--recall <share>', 'minimum recall of approximate search', number, 0.95)
		.option('--rounds <n>', 'number of rounds; each measures everything once', count(1), 5)
		.option('--encoder <model>', 'encoder to measure', 'minilm-encoder')
		.option('--no-encoder', 'leave encoding out')
		.option('--json', 'print one JSON object')
		.addHelpText('after', '\nExample:\n  $ passagekit bench --no-encoder')
		.action(async ({json, ...options}: BenchFlags) => {
			const bar = new ProgressBar('bench', 'measurements');
			const measured = await quickBench({
				...options,
				signal,
				onProgress({stage, done, total}) {
					if (total > 0) {
						bar.update({done, total});
					} else if (!json) {
						note(styled('dim', `${stage} …`, process.stderr));
					}
				},
			}).finally(() => bar.end());
			if (json) {
				printJson(measured);
			} else {
				print(formatResults(measured));
			}
			if (measured.groups.some(({checks}) => checks.some(({holds}) => !holds))) {
				process.exitCode = 1;
			}
		});
}

function formatResults({passagekit, machine, settings, groups, left: leftOut, noise}: QuickBench): string {
	const {cpu = machine.platform, cores, kernels, node} = machine;
	return [
		styled('bold', `passagekit ${passagekit} on ${cpu}, ${cores} cores, SIMD kernels ${kernels}, Node ${node}`),
		styled(
			'dim',
			`k = ${settings['k']}; medians of ${settings['rounds']} rounds, in which all workloads take turns; ± is half of the range, as a share of the median`,
		),
		...groups.flatMap(group => ['', formatGroup(group)]),
		...leftOut.flatMap(({name, why}) => ['', styled('yellow', `${name}: not measured (${why})`)]),
		'',
		...(noise.length === 0
			? [styled('dim', 'The machine was otherwise idle.')]
			: noise.map(why => styled('yellow', `Do not rely on these numbers: ${why}.`))),
	].join('\n');
}

function formatGroup({name, over: data, unit, built, speeds, checks}: QuickBenchGroup): string {
	const rows = speeds.map(({name: subject, rate, cores, latency}) => [
		subject,
		rate.median < 100 ? rate.median.toFixed(1) : Math.round(rate.median).toLocaleString('en'),
		`${Math.round(100 * spread(rate))}%`,
		cores.median.toFixed(1),
		...(latency ? [latency.p50, latency.p90, latency.p99, latency.p999].map(milliseconds) : ['', '', '', '']),
	]);
	return [
		`${styled('bold', name)}  ${styled('dim', data)}`,
		table([`${unit} per second`, 'median', '±', 'cores', 'p50 ms', 'p90', 'p99', 'p99.9'], rows),
		...(built ? [`built in ${duration(built.seconds)}, ${bytes(built.bytes)}`] : []),
		...checks.map(({what, holds}) => `${holds ? styled('green', '✓') : styled('yellow', '✗')} ${what}`),
	].join('\n');
}

const milliseconds = (value: number): string => (value < 10 ? value.toFixed(3) : value.toFixed(1));
