/** The findings of a replication study: each claim of Ma et al. (2021) with what was measured and a verdict. */
import {type Study, checkStudy} from '../study.ts';
import type {Finding} from './finding-names.ts';
import {readingFindings} from './reading-findings.ts';
import {retrievalFindings} from './retrieval-findings.ts';

/**
Judges the paper's claims by a study, in the order of the paper. Claims for which the study has no numbers are left out,
such as those about reading in a study without a reader. Fails with `ERR_FORMAT` if `study` is not the result of a
replication study.

@example
```
findings(study).map(({name, verdict}) => `${name}: ${verdict}`);
//=> ['dense or sparse: holds', 'hybrids: holds in part', 'hybrids alike: undecided', 'overlap: holds']
```
*/
export function findings(study: Study): readonly Finding[] {
	checkStudy(study);
	return [...retrievalFindings(study), ...(study.reading ? readingFindings(study.reading, study.dataset) : [])];
}
