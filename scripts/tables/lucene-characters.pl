#!/usr/bin/env perl
# Writes two tables of Unicode properties as Rust arrays. With these tables, the BM25 analyzers find the same words as
# Lucene's StandardTokenizer. The data is that of Unicode 14.0 (LineBreak.txt, emoji/emoji-data.txt), which Perl 5.36
# contains. Another version of Unicode would change the tokens of existing indexes, so the script refuses to use any other.
#
#     perl scripts/tables/lucene-characters.pl          writes the file of the tables
#     perl scripts/tables/lucene-characters.pl --check  fails if the file differs from what the script would write
use strict;
use warnings;
use FindBin;
use Unicode::UCD qw(prop_invlist);

my $version = Unicode::UCD::UnicodeVersion();
die "expected Unicode 14.0.0 (Perl 5.36), got $version\n" unless $version eq '14.0.0';

# Returns the source code of a Rust array with the ranges of code points that have a property. Both ends of a range are
# inclusive.
sub table {
    my ($name, $property, $doc) = @_;
    my @starts_and_ends = prop_invlist($property);
    my $count = @starts_and_ends / 2;
    my $rows = '';
    while (my ($start, $end) = splice(@starts_and_ends, 0, 2)) {
        $rows .= sprintf("    (0x%04x, 0x%04x),\n", $start, $end - 1);
    }
    return "/// $doc\npub(super) const $name: [(u32, u32); $count] = [\n$rows];\n";
}

my $text = join "\n",
    "//! Generated from Unicode 14.0 by `perl scripts/tables/lucene-characters.pl`. Do not edit.\n",
    table('COMPLEX_CONTEXT', 'Line_Break=Complex_Context', 'Line_Break = Complex_Context (LineBreak.txt).'),
    table('PICTOGRAPHS', 'Extended_Pictographic', 'Extended_Pictographic (emoji/emoji-data.txt).');

my $path = "$FindBin::Bin/../../crates/sparse/src/analysis/characters/tables.rs";
if (grep { $_ eq '--check' } @ARGV) {
    open my $file, '<', $path or die "$path: $!\n";
    local $/;
    die "$path differs from what this script writes\n" unless <$file> eq $text;
} else {
    open my $file, '>', $path or die "$path: $!\n";
    print $file $text;
    close $file or die "$path: $!\n";
}
