/** The significance tests of a training study: paired t-tests of the conditions that the paper's claims compare. */
import {type ConditionPair, type TestOptions, comparePairs} from '../../statistics/paired-comparisons.ts';
import type {Comparison} from '../../statistics/comparison.ts';
import {
	type NamePair,
	referenceAliases,
	curvePairs,
	deepMeasures,
	jointMeasures,
	jointPair,
	schemePairs,
	similarityPairs,
	suffixOf,
	supervisionPair,
	testedMeasures,
	trainingPair,
} from '../claims.ts';
import {referenceName, bm25Name, transferNames} from '../conditions.ts';
import type {TrainingSettings, TrainingTables, TrainingTests} from '../study.ts';
import type {Effectiveness} from './effectiveness.ts';

/** Tests the conditions of the study's own data set, `source`, and those of the other data sets, `targets`. */
export async function trainingTests(
	source: Effectiveness,
	tables: TrainingTables,
	targets: ReadonlyMap<string, Effectiveness>,
	{batchSize, significance}: TrainingSettings,
	signal: AbortSignal | undefined,
): Promise<TrainingTests> {
	const options: TestOptions = {significance, signal};
	for (const alias of referenceAliases(tables, referenceName(batchSize))) {
		source.alias(alias, referenceName(batchSize));
	}
	const compare = async (
		...groups: ReadonlyArray<readonly [pairs: readonly NamePair[], measures: readonly string[]]>
	): Promise<readonly Comparison[]> =>
		comparePairs(
			groups.flatMap(([pairs, measures]) => pairsOf(source, pairs, measures)),
			options,
		);
	const {kinds, ...gains} = schemePairs;
	const curve = curvePairs(tables);
	return {
		schemes: tables.schemes.length === 0 ? [] : await compare([Object.values(gains).flat(), testedMeasures], [kinds, deepMeasures]),
		curve: await compare([[...curve.more, ...curve.few, trainingPair(batchSize)], testedMeasures]),
		supervision: tables.supervision.length === 0 ? [] : await compare([[supervisionPair], testedMeasures]),
		similarities: tables.similarities.length === 0 ? [] : await compare([Object.values(similarityPairs).flat(), testedMeasures]),
		transfer: await comparePairs(
			[...targets].flatMap(([name, effectiveness]) => transferPairs(name, effectiveness)),
			options,
		),
		joint: await compare([[jointPair], jointMeasures]),
	};
}

/** Pairs conditions that were both measured. */
function pairsOf(effectiveness: Effectiveness, pairs: readonly NamePair[], measures: readonly string[], suffix = ''): ConditionPair[] {
	return pairs
		.filter(names => names.every(name => effectiveness.has(name)))
		.flatMap(([a, b]) => measures.map(measure => effectiveness.pair(a, b, measure, suffix)));
}

/** On another data set: the encoder that was trained elsewhere with BM25, and with the encoder that was trained there. */
function transferPairs(name: string, effectiveness: Effectiveness): ConditionPair[] {
	const {main: source, own: target, multi} = transferNames;
	const pairs: NamePair[] = [
		[source, bm25Name],
		[source, target],
		[multi, target],
	];
	return pairsOf(effectiveness, pairs, testedMeasures, suffixOf(name));
}
