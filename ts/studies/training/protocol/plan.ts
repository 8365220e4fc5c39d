/** Plans a training study: which conditions it has, and in which tables they are. */
import {RetrievalError} from '../../../core/errors.ts';
import {
	NEGATIVES_PER_QUESTION,
	type TrainingCondition,
	referenceName,
	referenceScheme,
	curveName,
	schemeBlocks,
	schemeName,
	similarityConditions,
	supervisionNames,
} from '../conditions.ts';
import type {TrainingSettings, TrainingTables} from '../study.ts';
import {type MinedExamples, exampleCount} from './examples.ts';

export interface TrainingPlan {
	/** All conditions with training, each once. The first one is the reference condition. */
	readonly conditions: readonly TrainingCondition[];
	readonly reference: TrainingCondition;
	readonly tables: TrainingTables;
}

/**
Plans the conditions. Fails with `ERR_ARGUMENT` if there are fewer examples than questions per step, or if no example has a
BM25 negative, which the reference condition needs.
*/
export function trainingPlan(mined: MinedExamples, settings: TrainingSettings): TrainingPlan {
	const {batchSize, parts, examples: counts} = settings;
	if (mined.count < batchSize) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			`batchSize: expected at most the number of training examples, got ${batchSize} with ${mined.count} examples`,
		);
	}
	if (lacks(mined, 'bm25')) {
		throw new RetrievalError(
			'ERR_ARGUMENT',
			'corpus: expected BM25 hits without an answer, which become negatives, got none for any training question',
		);
	}
	const reference: TrainingCondition = {
		name: referenceName(batchSize),
		...referenceScheme(batchSize),
		similarity: 'dot',
		loss: 'nll',
		exampleSet: 'all',
		examples: mined.count,
	};
	const conditions = new Map([[reference.name, reference]]);
	const add = (condition: TrainingCondition): string => {
		// The reference condition may be a training scheme, too.
		if (!conditions.has(condition.name)) {
			conditions.set(condition.name, condition);
		}
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
			schemes.push(add({...reference, name, ...scheme}));
		}
	}
	const curve: Array<TrainingTables['curve'][number]> = [];
	if (parts.curve) {
		for (const examples of counts.filter(count => count < mined.count && count >= batchSize)) {
			curve.push({examples, condition: add({...reference, name: curveName(examples), examples})});
		}
		curve.push({examples: mined.count, condition: reference.name});
	}
	return {
		reference,
		tables: {
			schemes,
			schemesLeftOut,
			curve,
			supervision: supervised(mined, reference, parts.supervision, add),
			similarities: parts.similarities ? [reference.name, ...similarityConditions.map(each => add({...reference, ...each}))] : [],
		},
		conditions: [...conditions.values()],
	};
}

/**
Returns whether schemes with negatives of a kind are left out: if no example has such a negative. If some examples have too
few, the scheme is trained, and the report shows the mean number of negatives per question. Random negatives are an
exception: the file of examples has the random and the gold negatives of an example in one list, the random ones first, so
they can be told apart only if no random negative is missing. Otherwise, the schemes with either kind are left out.
*/
function lacks({count, missing}: MinedExamples, from: NonNullable<TrainingCondition['negatives']>['from']): boolean {
	const {hardNegatives, randomNegatives, goldNegatives} = missing;
	switch (from) {
		case 'bm25': {
			return hardNegatives === NEGATIVES_PER_QUESTION * count;
		}
		case 'random': {
			return randomNegatives > 0;
		}
		case 'gold': {
			return randomNegatives > 0 || goldNegatives === NEGATIVES_PER_QUESTION * count;
		}
	}
}

/** Plans Table 5: both conditions have the same questions. If these are all questions, the first condition is the reference condition. */
function supervised(
	mined: MinedExamples,
	reference: TrainingCondition,
	isWanted: boolean,
	add: (condition: TrainingCondition) => string,
): readonly string[] {
	if (!isWanted || mined.comparable === undefined || mined.comparable.length < reference.batchSize) {
		return [];
	}
	const examples = exampleCount(mined, 'gold');
	const gold = examples === mined.count ? reference.name : add({...reference, name: supervisionNames.gold, exampleSet: 'gold', examples});
	return [gold, add({...reference, name: supervisionNames.distant, exampleSet: 'distant', examples})];
}
