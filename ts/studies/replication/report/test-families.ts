import type {TestFamily} from '../../report/tests-table.ts';
import type {Study} from '../study.ts';

/** The families of tests, each corrected on its own, in the order of the report. Families without tests are left out. */
export function testFamilies({retrieval, overlapComparisons, reading}: Study): readonly TestFamily[] {
	const families: readonly TestFamily[] = [
		{name: 'Table 1', comparisons: retrieval.comparisons},
		{name: 'Hybrid-orig, which the paper does not test', comparisons: retrieval.addedComparisons},
		{name: 'Table 2', comparisons: overlapComparisons},
		...(reading
			? [
					{name: 'Table 3', comparisons: reading.comparisons},
					{name: 'Section 4.2 beside Table 3', comparisons: reading.textComparisons},
					{name: 'Figure 1', comparisons: reading.curveTests.flatMap(({rise, fall}) => [rise, fall])},
				]
			: []),
	];
	return families.filter(({comparisons}) => comparisons.length > 0);
}
