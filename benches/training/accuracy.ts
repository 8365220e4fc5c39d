// Compares how well the encoders of both systems rank passages for questions that they were not trained on.
import {pairedTest} from '../../ts/index.ts';
import {addHeldOut, minedExamples, writeBatches} from './data.ts';
import type {Accuracy, AccuracyResults, Definition, Ranked} from './definition.ts';
import {systemVersions, systems, train, withSystems} from './measure.ts';

/** Trains both encoders with the same batches, with dropout, and ranks the positives of other batches before and after. */
export async function measureAccuracy(definition: Definition, say: (line: string) => void): Promise<AccuracyResults> {
	const {batchSize, hardNegatives, threads, bf16, accuracy} = definition;
	const {steps, heldOutBatches: count} = accuracy;
	const all = await writeBatches('accuracy.json', await minedExamples('passages'), steps + count, {batchSize, hardNegatives});
	const written = addHeldOut(all, steps);
	return withSystems(systems, written, {dropout: 0.1, steps, threads: Math.max(...threads), bf16}, async opened => {
		const rank = async (): Promise<number[][]> => {
			const reciprocalRanks: number[][] = [];
			for (const system of opened) {
				const {ranks} = await system.ask<Ranked>({verb: 'rank', batch: steps});
				reciprocalRanks.push(ranks.map(rank => 1 / rank));
			}
			return reciprocalRanks;
		};
		const before = await rank();
		for (const [i, system] of opened.entries()) {
			await train(system, written, 0, steps);
			say(`${systems[i]} has made ${steps} steps`);
		}
		const [ours, theirs] = await rank();
		const byQuestion = (values: readonly number[]): Map<string, number> => new Map(values.map((value, i) => [`${i}`, value]));
		const {difference, standardError, p} = await pairedTest(byQuestion(ours!), byQuestion(theirs!));
		return {
			versions: await systemVersions(),
			questions: ours!.length,
			passages: written.heldOut.texts.length,
			steps,
			before: accuracyOf(before[0]!),
			passagekit: accuracyOf(ours!),
			pytorch: accuracyOf(theirs!),
			difference: {meanReciprocalRank: difference, from: difference - 1.96 * standardError!, to: difference + 1.96 * standardError!, p},
			maxDifferenceBefore: Math.max(...before[0]!.map((value, i) => Math.abs(value - before[1]![i]!))),
		};
	});
}

function accuracyOf(reciprocalRanks: readonly number[]): Accuracy {
	const share = (k: number): number => reciprocalRanks.filter(value => value >= 1 / k).length / reciprocalRanks.length;
	return {
		meanReciprocalRank: reciprocalRanks.reduce((sum, value) => sum + value, 0) / reciprocalRanks.length,
		top1: share(1),
		top5: share(5),
	};
}

/** Returns the table of the results, in Markdown. */
export function accuracyTable({
	versions,
	questions,
	passages,
	steps,
	before,
	difference,
	maxDifferenceBefore,
	...results
}: AccuracyResults): string {
	const row = (name: string, {meanReciprocalRank, top1, top5}: Accuracy): string =>
		`| ${name} | ${[meanReciprocalRank, top1, top5].map(value => value.toFixed(3)).join(' | ')} |`;
	return [
		`${versions.passagekit}; ${versions.pytorch}. ${questions} questions, ${passages} passages, ${steps} steps with dropout.`,
		'',
		'| encoder | MRR | top-1 | top-5 |',
		'|---|--:|--:|--:|',
		row('before training', before),
		row('trained with passagekit', results.passagekit),
		row('trained with PyTorch', results.pytorch),
		'',
		`Difference of MRR: ${difference.meanReciprocalRank.toFixed(4)} (95 % confidence interval ${difference.from.toFixed(4)} to ${difference.to.toFixed(4)}; paired t-test, p = ${difference.p.toFixed(3)}). Before training, the reciprocal ranks of a question differ by at most ${maxDifferenceBefore.toFixed(4)}.`,
	].join('\n');
}
