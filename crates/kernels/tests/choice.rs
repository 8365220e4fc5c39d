//! All structs of kernels choose an instruction set in the same way.

use std::ffi::OsStr;
use std::process::Command;

use kernels::ascii::AsciiKernels;
use kernels::half::HalfKernels;
use kernels::impacts::ImpactKernels;
use kernels::int4::Int4Kernels;
use kernels::int8::Int8Kernels;
use kernels::logits::LogitKernels;
use kernels::signs::SignKernels;
use kernels::{Kernels, Level};

/// The name of the chosen instruction set, and the names of all available ones. This is a macro because the structs of
/// kernels have the same functions, but no common trait.
macro_rules! names {
    ($kernels:ident) => {
        ($kernels::detect().name(), $kernels::available().iter().map(|set| set.name()).collect::<Vec<_>>())
    };
}

/// The result of `names!` for each struct of kernels.
fn choices() -> [(&'static str, Vec<&'static str>); 8] {
    [
        names!(Kernels),
        names!(HalfKernels),
        names!(Int8Kernels),
        names!(Int4Kernels),
        names!(SignKernels),
        names!(ImpactKernels),
        names!(LogitKernels),
        names!(AsciiKernels),
    ]
}

#[test]
fn the_first_instruction_set_is_chosen_unless_a_lower_level_is_forced_and_scalar_comes_last() {
    let is_fastest_level = Level::chosen().ok() == Level::supported().next();
    for (chosen, names) in choices() {
        assert!(names.first() == Some(&chosen) || !is_fastest_level && names.contains(&chosen));
        assert_eq!(names.last(), Some(&"scalar"));
        assert!(
            names.iter().all(|name| names.iter().filter(|other| *other == name).count() == 1),
            "{names:?}"
        );
    }
}

/// Prints the chosen instruction sets. The next tests run it in separate processes, with different environments.
#[test]
#[ignore = "run by another test"]
fn print_chosen_instruction_sets() {
    println!("chosen: {}", choices().map(|(chosen, _)| chosen).join(" "));
}

/// Runs a process with `value` as `PASSAGEKIT_CPU`. Returns the instruction sets that it chooses, or its output if it
/// fails.
fn chosen_with(value: &str) -> Result<Vec<String>, String> {
    let program = std::env::current_exe().expect("the path of this program");
    // An emulator that runs this program, with its arguments: it must run the new process too.
    let emulator = std::env::var("PASSAGEKIT_TEST_EMULATOR").unwrap_or_default();
    let mut words = emulator.split_whitespace().map(OsStr::new).chain([program.as_os_str()]);
    let output = Command::new(words.next().expect("at least this program"))
        .args(words)
        .args(["--ignored", "--nocapture", "--exact", "print_chosen_instruction_sets"])
        .env("PASSAGEKIT_CPU", value)
        .output()
        .expect("a process");
    let text = String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned();
    match text.split_once("chosen: ") {
        Some((_, rest)) if output.status.success() => {
            Ok(rest.lines().next().unwrap_or_default().split(' ').map(str::to_owned).collect())
        }
        _ => Err(text),
    }
}

#[test]
fn the_environment_variable_forces_a_level_for_all_kernels() {
    for level in Level::supported() {
        let chosen = chosen_with(level.name()).expect("a supported level");
        let sets_that_may_be_chosen = |level: Level| match level {
            Level::Scalar => vec!["scalar"],
            Level::Neon => vec!["neon", "scalar"],
            Level::I8mm => vec!["neon+i8mm", "neon+dotprod", "neon", "scalar"],
            Level::Dotprod => vec!["neon+dotprod", "neon", "scalar"],
            Level::Avx2 => vec!["avx2", "avx2+fma", "avx2+fma+f16c", "scalar"],
            Level::AvxVnni => vec!["avxvnni", "avx2", "avx2+fma", "avx2+fma+f16c"],
            Level::Avx512 => vec!["avx512f", "avx512bw", "avx512vnni", "avx512vbmi2", "avxvnni", "avx2"],
        };
        assert_eq!(chosen.len(), 8);
        for set in chosen {
            assert!(sets_that_may_be_chosen(level).contains(&set.as_str()), "{}: {set}", level.name());
        }
    }
}

#[test]
fn an_unknown_level_is_refused() {
    let output = chosen_with("sse9").expect_err("an unknown level");
    assert!(output.contains("the environment variable PASSAGEKIT_CPU: expected a level"), "{output}");
    assert!(output.contains("got sse9"), "{output}");
}
