// Runs the tests of `kernels` for 64-bit ARM on an x86-64 machine: built with zig, and run by qemu's emulation of two CPUs, one with the
// instructions of `dotprod` and `i8mm` and one with plain NEON.
import {installRustTarget} from './addon.mjs';
import {findQemu, findZig} from './cross-tools.mjs';
import {execute, say} from './commands.mjs';
import {requireRust} from './prepare.mjs';

// The programs of this target are linked statically, so they need no libraries of an ARM system.
const target = 'aarch64-unknown-linux-musl';
/** The CPUs that qemu emulates, with the level of instruction sets that each must have. */
const cpus = {max: 'i8mm', 'cortex-a53': 'neon'};

export function testArm() {
	const qemu = findQemu();
	const missing = [
		...(qemu === undefined ? ['qemu (on Debian, `apt install qemu-user-static`)'] : []),
		// Without qemu, zig is not needed.
		...(qemu === undefined || findZig() ? [] : ['zig (`pip install cargo-zigbuild ziglang`)']),
	];
	if (missing.length > 0) {
		say(`SKIPPING the tests for ARM: they need ${missing.join(' and ')}.`);
		return;
	}
	requireRust();
	if (!installRustTarget(target)) {
		say(`SKIPPING the tests for ARM: Rust's standard library for ${target} could not be installed.`);
		return;
	}
	for (const [cpu, level] of Object.entries(cpus)) {
		say(`cargo test of kernels for ${target}, on an emulated CPU with ${level} …`);
		execute(
			'cargo-zigbuild',
			['test', '--release', '-p', 'kernels', '--target', target, '--target-dir', 'target/arm', '--quiet', '--tests'],
			{
				CARGO_TARGET_AARCH64_UNKNOWN_LINUX_MUSL_RUNNER: `${qemu} -cpu ${cpu}`,
				PASSAGEKIT_TEST_EMULATOR: `${qemu} -cpu ${cpu}`,
				PASSAGEKIT_CPU: level,
				// The emulator is many times as slow as a CPU. A quarter of the usual number of random cases is enough here.
				PROPTEST_CASES: '64',
			},
		);
	}
}
