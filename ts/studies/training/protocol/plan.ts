/** Plans a training study: which conditions it has, and in which tables they are. */
import {RetrievalError} from '../../../core/errors.ts';
import {
	NEGATIVES,
	type TrainingCondition,
	baselineName,
	baselineScheme,
	curveName,
	schemeBlocks,
	schemeName,
	similarityConditions,
	supervisionNames,
} from '../conditions.ts';
import type {TrainingSettings, TrainingTables} from '../study.ts';
import {type MinedExamples, exampleCount} from './examples.ts';

export interface TrainingPlan {
	/** All conditions with training, each once. The first one is the baseline. */
	readonly conditions: readonly TrainingCondition[];
	readonly baseline: TrainingCondition;
	readonly tables: TrainingTables;
}

/** Plans the conditions. Fails with `ERR_ARGUMENT` if there are fewer examples than questions per step. */
export function trainingPlan(mined: MinedExamples, settings: TrainingSettings): TrainingPlan {
	const {batchSize, parts, examples: counts} = settings;
	if (mined.count < batchSize) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`batchSize: expected at most the number of training examples, got ${batchSize} with ${mined.count} examples`,
		);
	}
	const baseline: TrainingCondition = {
		name: baselineName(batchSize),
		...baselineScheme(batchSize),
		similarity: 'dot',
		loss: 'nll',
		exampleSet: 'all',
		examples: mined.count,
	};
	const conditions = new Map([[baseline.name, baseline]]);
	const add = (condition: TrainingCondition): string => {
		conditions.set(condition.name, condition);
		return condition.name;
	};

	const schemes: string[] = [];
	const schemesLeftOut: Array<TrainingTables['schemesLeftOut'][number]> = [];
	for (const scheme of parts.schemes ? schemeBlocks.flat() : []) {
		const name = schemeName(scheme);
		if (scheme.batchSize > mined.count) {
			schemesLeftOut.push({condition: name, because: 'examples'});
		} else if (scheme.negatives !== null && lacks(mined, scheme.negatives.from)) {
			schemesLeftOut.push({condition: name, because: 'passages'});
		} else {
			schemes.push(add({...baseline, name, ...scheme}));
		}
	}
	const curve: Array<TrainingTables['curve'][number]> = [];
	if (parts.curve) {
		for (const examples of counts.filter(count => count < mined.count && count >= batchSize)) {
			curve.push({examples, condition: add({...baseline, name: curveName(examples), examples})});
		}
		curve.push({examples: mined.count, condition: baseline.name});
	}
	return {
		baseline,
		tables: {
			schemes,
			schemesLeftOut,
			curve,
			supervision: supervised(mined, baseline, parts.supervision, add),
			similarities: parts.similarities ? [baseline.name, ...similarityConditions.map(each => add({...baseline, ...each}))] : [],
		},
		conditions: [...conditions.values()],
	};
}

/**
Returns whether negatives of a kind are missing so that a condition with them would be another one. The file of examples
has random negatives before gold negatives, so both are only known if no random negative is missing.
*/
function lacks({count, missing}: MinedExamples, from: NonNullable<TrainingCondition['negatives']>['from']): boolean {
	const {hardNegatives, randomNegatives, goldNegatives} = missing;
	switch (from) {
		case 'bm25': {
			return hardNegatives === NEGATIVES * count;
		}
		case 'random': {
			return randomNegatives > 0;
		}
		case 'gold': {
			return randomNegatives > 0 || goldNegatives === NEGATIVES * count;
		}
	}
}

/** Plans Table 5: both conditions have the same questions. If these are all questions, the first condition is the baseline. */
function supervised(
	mined: MinedExamples,
	baseline: TrainingCondition,
	isWanted: boolean,
	add: (condition: TrainingCondition) => string,
): readonly string[] {
	if (!isWanted || mined.comparable === undefined || mined.comparable.length < baseline.batchSize) {
		return [];
	}
	const examples = exampleCount(mined, 'gold');
	const gold = examples === mined.count ? baseline.name : add({...baseline, name: supervisionNames.gold, exampleSet: 'gold', examples});
	return [gold, add({...baseline, name: supervisionNames.distant, exampleSet: 'distant', examples})];
}
