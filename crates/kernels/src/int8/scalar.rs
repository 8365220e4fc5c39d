//! Inner products of 8-bit codes in portable code, for every CPU.

type Row = [u8; WIDTH];
type Query = [i8; WIDTH];
type Sums = i32;
const WIDTH: usize = 16;
const UNSIGNED: bool = true;

define_int8!(Scalar, queries: 1, bounds: crate::int8::bound::at_least);

#[inline]
fn zero() -> Sums {
    0
}

#[inline]
fn row(chunk: &[u8; WIDTH]) -> Row {
    *chunk
}

#[inline]
fn query(chunk: &[i8; WIDTH]) -> Query {
    *chunk
}

#[inline]
fn row_part(part: &[u8]) -> Row {
    let mut chunk = [0; WIDTH];
    chunk[..part.len()].copy_from_slice(part);
    chunk
}

#[inline]
fn add_products(row: Row, query: Query, sums: Sums) -> Sums {
    sums + row.iter().zip(&query).map(|(&row, &query)| i32::from(row) * i32::from(query)).sum::<i32>()
}

#[inline]
fn totals(sums: [Sums; 4]) -> [i32; 4] {
    sums
}
