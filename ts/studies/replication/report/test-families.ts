/** The tests of a study by family: those that one Bonferroni correction is over. */
import type {Comparison} from '../../statistics/comparison.ts';
import type {Study} from '../study.ts';

export interface TestFamily {
	/** What the tests are of, such as "Table 1". */
	readonly of: string;
	readonly comparisons: readonly Comparison[];
}

/** In the order of the report; those without tests are left out. */
export function testFamilies({retrieval, overlapComparisons, reading}: Study): readonly TestFamily[] {
	const families: readonly TestFamily[] = [
		{of: 'Table 1', comparisons: retrieval.comparisons},
		{of: 'Hybrid-orig, which the paper does not test', comparisons: retrieval.addedComparisons},
		{of: 'Table 2', comparisons: overlapComparisons},
		...(reading
			? [
					{of: 'Table 3', comparisons: reading.comparisons},
					{of: 'Section 4.2 beside Table 3', comparisons: reading.textComparisons},
					{of: 'Figure 1', comparisons: reading.curveTests.flatMap(({rise, fall}) => [rise, fall])},
				]
			: []),
	];
	return families.filter(({comparisons}) => comparisons.length > 0);
}
