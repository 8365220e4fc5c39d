// Formats the results of benches/collections as tables in Markdown.
import type {Figure} from '../qps/statistics/statistics.ts';
import {PRICES} from './data.ts';
import type {Definition, LoadResult, SearchResult, SystemResult} from './definition.ts';

/** Returns the tables of a record (loads, commits, searches, and searches during additions), then a line per failed measurement. */
export function tables(definition: Definition, results: readonly SystemResult[]): string {
	const {documents, commitSizes, commits, priceLimits, k, recall, mixed, bulkBatch, incrementalBatch} = definition;
	const names = ['', ...results.map(({system}) => system)];
	/** A row with a cell per system. */
	const row = (name: string, cell: (result: SystemResult) => string | undefined): string[] => [
		name,
		...results.map(each => cell(each) ?? '–'),
	];
	const loadRows = (what: string, load: (result: SystemResult) => LoadResult | undefined): string[][] => [
		row(`${what}: documents per second, until the last commit`, each =>
			figureText(load(each)?.durableSeconds, seconds => documents / seconds),
		),
		row(`${what}: seconds, until the last commit`, each => figureText(load(each)?.durableSeconds)),
		row(`${what}: seconds, until complete`, each => figureText(load(each)?.completeSeconds)),
		row(`${what}: CPU seconds`, each => figureText(load(each)?.cpuSeconds)),
		row(`${what}: MB of files`, each => figureText(load(each)?.fileBytes, megabytes)),
		row(`${what}: MB of memory, peak`, each => figureText(load(each)?.peakBytes, megabytes)),
	];
	const searchRows = (priceLimit: number): string[][] => {
		const found = ({searches}: SystemResult, kind: string): SearchResult | undefined =>
			searches.find(each => each.kind === kind && each.priceLimit === priceLimit);
		const share = priceLimit === PRICES ? 'no filter' : `${(100 * priceLimit) / PRICES}%`;
		return [
			...(['text', 'vector', 'hybrid'] as const).flatMap(kind => [
				row(`${share}, ${kind}: queries per second`, each => figureText(found(each, kind)?.queriesPerSecond)),
				row(`${share}, ${kind}: p50 / p99, ms`, each => latencyText(found(each, kind))),
			]),
			row(`${share}: recall@${k} of vectors (effort)`, each => recallText(found(each, 'vector'))),
		];
	};
	return [
		`### Loading ${documents} documents\n`,
		table([
			names,
			...loadRows(`bulk, ${bulkBatch} per call`, ({load}) => load),
			...loadRows(`${incrementalBatch} per commit`, ({incremental}) => incremental),
		]),
		'\n### Committing documents: milliseconds until the commit returns\n',
		table([
			names,
			...commitSizes.flatMap(size =>
				commits.map(({count}) =>
					row(`${count} into ${size}`, each => figureText(each.commits.find(commit => commit.size === size && commit.count === count)?.ms)),
				),
			),
		]),
		`\n### Searching with the lowest effort that reaches recall ${recall}, k = ${k}\n`,
		table([names, ...priceLimits.flatMap(searchRows)]),
		`\n### Searching while ${mixed.rate} documents per second are added\n`,
		table([
			names,
			row('documents per second', each => figureText(each.mixed?.documentsPerSecond)),
			row('queries per second', each => figureText(each.mixed?.queriesPerSecond)),
			row('p50 / p99, ms', each => latencyText(each.mixed)),
			row('MB of memory after searches without additions', each =>
				figureText(each.searches.find(({kind}) => kind !== 'vector')?.residentBytes, megabytes),
			),
		]),
		...results.flatMap(({system, failures}) => failures.map(failure => `\n${system} failed: ${failure}`)),
	].join('\n');
}

const megabytes = (bytes: number): number => bytes / 1e6;

/** Formats a number with three significant digits. */
const formatNumber = (value: number): string => {
	const digits = Number(value.toPrecision(3));
	return digits >= 1000 ? digits.toLocaleString('en-US') : `${digits}`;
};

/** Formats the median of a figure, followed by its minimum and maximum if they differ. `convert` is applied to each number first. */
function figureText(figure: Figure | undefined, convert = (value: number): number => value): string | undefined {
	if (figure === undefined) {
		return undefined;
	}
	const [median, ...range] = [figure.median, figure.least, figure.most].map(convert) as [number, number, number];
	range.sort((a, b) => a - b);
	return range[0] === range[1] ? formatNumber(median) : `${formatNumber(median)} (${range.map(formatNumber).join('–')})`;
}

/** Formats p50 and p99, each as the median over the rounds. */
const latencyText = (found: {readonly p50: Figure; readonly p99: Figure} | undefined): string | undefined =>
	found && `${formatNumber(found.p50.median)} / ${formatNumber(found.p99.median)}`;

/** Formats the recall of a vector search with the effort that it was measured with. */
function recallText(found: SearchResult | undefined): string | undefined {
	if (found?.recall === undefined) {
		return undefined;
	}
	const {effort, recall} = found;
	return `${recall.toFixed(3)}${effort === undefined ? '' : ` (${JSON.stringify(effort).replaceAll(/[{}"]/gu, '')})`}`;
}

/** Formats rows as a Markdown table. The first row is the header. */
function table([head, ...rows]: readonly string[][]): string {
	const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
	return [line(head!), `|${head!.map((_, i) => (i === 0 ? '---' : '--:')).join('|')}|`, ...rows.map(line)].join('\n');
}
