// Holds passagekit and other systems to a level of instruction sets, such as AVX2, even if the CPU supports a higher one.
import {native} from '../../../ts/core/native/native.ts';

/**
For each level that a definition may name, the environment in which all systems run: passagekit's own variable, and those of the JVM, Faiss,
OpenBLAS, MKL and PyTorch. Systems that have no such setting run with the instruction sets that they choose or were compiled for.
*/
const environments: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	avx2: {
		PASSAGEKIT_CPU: 'avx2',
		JAVA_TOOL_OPTIONS: '-XX:UseAVX=2',
		FAISS_OPT_LEVEL: 'avx2',
		OPENBLAS_CORETYPE: 'Haswell',
		MKL_ENABLE_INSTRUCTIONS: 'AVX2',
		ATEN_CPU_CAPABILITY: 'avx2',
	},
};

/** Returns the environment for a level, or an empty one if the definition names no level. */
export function environmentOf(level: string | undefined): Readonly<Record<string, string>> {
	const environment = level === undefined ? {} : environments[level];
	if (environment === undefined) {
		throw new Error(`expected a level (${Object.keys(environments).join(', ')}), got ${level}`);
	}
	return environment;
}

/** Returns the level of passagekit's kernels in this process. */
export const currentLevel = (): string => native.systemInfo().level;
