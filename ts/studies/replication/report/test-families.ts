/** The families of significance tests in a replication study. */
import type {TestFamily} from '../../report/tests-table.ts';
import type {Study} from '../study.ts';

/**
Returns the families of tests in the order of the report. The p-values of each family are corrected separately. Families
without tests are left out.
*/
export function testFamilies({retrieval, overlapComparisons, reading}: Study): readonly TestFamily[] {
	const families: readonly TestFamily[] = [
		{name: 'Table 1', comparisons: retrieval.comparisons},
		{name: 'Hybrid-orig, which the paper does not test', comparisons: retrieval.addedComparisons},
		{name: 'Table 2', comparisons: overlapComparisons},
		...(reading
			? [
					{name: 'Table 3', comparisons: reading.comparisons},
					{name: 'further claims of Section 4.2', comparisons: reading.textComparisons},
					{name: 'Figure 1', comparisons: reading.curveTests.flatMap(({rise, fall}) => [rise, fall])},
				]
			: []),
	];
	return families.filter(({comparisons}) => comparisons.length > 0);
}
