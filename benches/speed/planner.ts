// Calibrates the planners of BM25 and HNSW searches for the instruction sets that the kernels use: runs crates/sparse/benches/planner.rs and
// crates/dense/benches/planner.rs, and writes the costs that they find to the sources of the planners.
import {spawn} from 'node:child_process';
import {writeFileSync} from 'node:fs';
import {join} from 'node:path';
import {text} from 'node:stream/consumers';
import {packageRoot} from '../../ts/core/native/addon.ts';
import {native} from '../../ts/core/native/native.ts';
import type {Benchmark} from '../support/benchmark.ts';

/** The output of a crate's benchmark `planner`. The comments of these benchmarks describe the other keys. */
interface Calibration {
	readonly instructionSet: string;
	/** The measured costs: the fields of a Rust struct, some of which may be structs. */
	readonly costs: Costs;
	readonly [key: string]: unknown;
}

interface Costs {
	readonly [field: string]: number | Costs;
}

/** By crate: the folder of the measured costs, and the type of the costs in a file. */
const PLANNERS = {
	sparse: {folder: 'crates/sparse/src/search/planner/measured', module: 'search::planner', type: 'SearchCosts'},
	dense: {folder: 'crates/dense/src/hnsw/planner/measured', module: 'hnsw::planner', type: 'MeasuredCosts'},
} as const;
type Planner = (typeof PLANNERS)[keyof typeof PLANNERS];

/** The fields of `SearchCosts` that are integers. */
const INTEGERS = new Set(['scan_per_hit', 'batch_rows_per_expansion', 'min_passages_per_hit_for_bounds']);

export const planner: Benchmark = async say => {
	const recordName = `planner-${native.systemInfo().level}`;
	const calibrations: Record<string, Calibration> = {};
	for (const [crate, planner] of Object.entries(PLANNERS)) {
		const calibration = await calibrate(crate);
		say(`${crate}: ${JSON.stringify({...calibration, times: undefined}, undefined, '\t')}`);
		const {instructionSet} = calibration;
		const path = `${planner.folder}/${instructionSet.replaceAll('+', '_')}.rs`;
		writeFileSync(join(packageRoot, path), source(calibration, planner, recordName));
		say(`wrote ${path}. If the file is new, add it to mod.rs in the same folder, and its costs to ${planner.type}::of in ../costs.rs.`);
		calibrations[crate] = calibration;
	}
	return {recordName, ...calibrations};
};

async function calibrate(crate: string): Promise<Calibration> {
	const args = ['bench', '--package', crate, '--bench', 'planner', '--quiet'];
	const child = spawn('cargo', args, {cwd: packageRoot, stdio: ['ignore', 'pipe', 'inherit']});
	const exited = new Promise<number | null>((resolve, reject) => {
		child.once('error', reject).once('exit', resolve);
	});
	const [output, status] = await Promise.all([text(child.stdout), exited]);
	if (status !== 0) {
		throw new Error(`cargo ${args.join(' ')}: expected the exit status 0, got ${status}`);
	}
	return JSON.parse(output);
}

/** Returns the Rust source of the costs of an instruction set. */
function source({instructionSet, costs}: Calibration, {module, type}: Planner, recordName: string): string {
	// rustfmt wants the types in this order, on lines of their own.
	const types = type === 'SearchCosts' ? [type] : ['SearchCosts', `costs::${type}`];
	return `//! The search costs of \`${instructionSet}\`, written by \`npm run bench -- planner\`. The times are in
//! \`benches/record/${recordName}.json\`.

${types.map(name => `use crate::${module}::${name};\n`).join('')}
pub static COSTS: ${type} = ${struct(type, costs, '')};
`;
}

/** Returns a struct in Rust. Its fields that are structs are of the type `SearchCosts`. */
function struct(type: string, costs: Costs, indent: string): string {
	const fields = Object.entries(costs).map(([name, value]) => {
		const written =
			typeof value === 'object' ? struct('SearchCosts', value, `${indent}    `) : INTEGERS.has(name) ? String(value) : rustFloat(value);
		return `${indent}    ${name}: ${written},\n`;
	});
	return `${type} {\n${fields.join('')}${indent}}`;
}

function rustFloat(value: number): string {
	return Number.isInteger(value) ? `${value}.0` : String(value);
}
