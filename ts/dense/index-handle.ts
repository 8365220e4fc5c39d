/** Shares an open vector index between the threads of a process. */
import {checkObject, checkString} from '../core/checks.ts';
import {type Binding, callSync, native} from '../core/native/native.ts';

/**
Identifies an open index for another thread of the same process. A handle is plain data: `index.share()` creates it, `postMessage` sends
it, and the method `attach` of the same class accepts it. A handle does not keep the index open. It is valid as long as any thread has the
index open, so close an index only after the other threads have attached to it.
*/
export interface IndexHandle<Kind extends string = 'FlatIndex' | 'HnswIndex'> {
	readonly kind: Kind;
	readonly token: string;
}

/** @internal Returns the index that a handle identifies. */
export function attached(kind: 'FlatIndex' | 'HnswIndex', handle: IndexHandle): Binding.NativeVectorIndex {
	checkObject('attach', handle, 'a handle {kind, token}');
	checkString('attach: token', handle.token);
	return callSync(() => native.attachIndex(kind, handle.token));
}
