"""Writes the other files of this folder, with numpy 2.4.6, pyarrow 26.0.1 and safetensors 0.8.0: python3 make.py

Most files contain the same ten rows of four numbers: number j of row i is (4i − 20 + j) / 8, which all 16-bit formats
can represent exactly. Files that must be refused are named after what is wrong with them.
"""

import json
import os
from decimal import Decimal

import numpy
import pyarrow
import pyarrow.feather
import pyarrow.ipc
import pyarrow.parquet
import safetensors
import safetensors.numpy

os.chdir(os.path.dirname(os.path.abspath(__file__)))

rows = ((numpy.arange(40) - 20) / 8).reshape(10, 4)
# The rows in single precision.
single = rows.astype("<f4")
names = [f"p{i}" for i in range(10)]
long_names = [f"a passage with a long name, number {i}" if i % 2 else f"p{i}" for i in range(10)]

# NumPy
for width in ("f2", "f4", "f8"):
    numpy.save(f"{width}.npy", rows.astype(f"<{width}"))
for version in (2, 3):
    with open(f"version-{version}.npy", "wb") as file:
        numpy.lib.format.write_array(file, single, version=(version, 0))
numpy.save("fortran.npy", numpy.asfortranarray(single))
numpy.save("big-endian.npy", single.astype(">f4"))
numpy.save("integers.npy", rows.astype("<i4"))
numpy.save("vector.npy", single[0])
numpy.save("records.npy", numpy.zeros(3, dtype=[("a", "<f4"), ("b", "<i4")]))
numpy.savez("several.npz", single)

# raw numbers and fvecs
single.tofile("rows.f32")
with open("rows.fvecs", "wb") as file:
    for row in single:
        numpy.int32(4).tofile(file)
        row.tofile(file)
with open("ragged.fvecs", "wb") as file:
    for length in (2, 1, 3):
        numpy.int32(length).tofile(file)
        single[0, :length].tofile(file)

# safetensors
safetensors.numpy.save_file({"bias": single[0], "embeddings": single}, "f4.safetensors", metadata={"made": "here"})
safetensors.numpy.save_file({"embeddings": rows.astype("f2")}, "f2.safetensors")
safetensors.numpy.save_file({"a": rows, "b": rows[:3]}, "two.safetensors")
safetensors.numpy.save_file({"embeddings": rows.astype("i4")}, "integers.safetensors")
# A bfloat16 is the upper half of an f32.
bf16_bits = (single.view("<u4") >> 16).astype("<u2")
spec = safetensors.TensorSpec(
    dtype="bfloat16", shape=[10, 4], data_ptr=bf16_bits.ctypes.data, data_len=bf16_bits.nbytes
)
with open("bf16.safetensors", "wb") as file:
    file.write(safetensors.serialize({"embeddings": spec}))


def fixed_size_lists(numbers, element_type):
    """Returns a column with a list of four numbers per row, of a type whose lists all have this length."""
    return pyarrow.FixedSizeListArray.from_arrays(pyarrow.array(numbers.ravel(), element_type), 4)


def lists(numbers, element_type, large=False):
    """Returns a column with a list of four numbers per row; the offsets of the lists have 64 bits if `large`."""
    list_array = pyarrow.LargeListArray if large else pyarrow.ListArray
    return list_array.from_arrays(numpy.arange(11) * 4, pyarrow.array(numbers.ravel(), element_type))


f32, f64, f16 = pyarrow.float32(), pyarrow.float64(), pyarrow.float16()
plain = pyarrow.table({"id": names, "vector": fixed_size_lists(single, f32)})
signed_ids = pyarrow.array([2 * i - 3 for i in range(10)], pyarrow.int64())
doubles = pyarrow.table({"number": signed_ids, "vector": lists(rows, f64)})
unsigned_ids = pyarrow.array([2**64 - 1 - i for i in range(10)], pyarrow.uint64())
halves = pyarrow.table({"number": unsigned_ids, "vector": lists(rows.astype("f2"), f16, large=True)})
# Columns of other types. They are written before the columns that are read, so the reader must skip them.
others = {
    "null": pyarrow.nulls(10),
    "bool": pyarrow.array([True, None] * 5),
    "decimal": pyarrow.array([Decimal("1.5")] * 10),
    "time": pyarrow.array([0] * 10, pyarrow.timestamp("us")),
    "bytes": pyarrow.array([b"x"] * 10),
    "struct": pyarrow.array([{"a": 1.5, "b": ["x", "y"]}] * 10),
    "map": pyarrow.array([[("k", 1.5)]] * 10, pyarrow.map_(pyarrow.string(), f32)),
}
# Columns of types that only Arrow has.
only_arrow = {
    "fixed": pyarrow.array([b"xy"] * 10, pyarrow.binary(2)),
    "view": pyarrow.array(["short", "a string that is not short"] * 5, pyarrow.string_view()),
    "bytes view": pyarrow.array([b"short", b"bytes that are no short view"] * 5, pyarrow.binary_view()),
    "runs": pyarrow.RunEndEncodedArray.from_arrays(pyarrow.array([4, 10], pyarrow.int32()), pyarrow.array(["a", "b"])),
    "dense": pyarrow.UnionArray.from_dense(
        pyarrow.array([0] * 10, pyarrow.int8()), pyarrow.array(range(10), pyarrow.int32()), [pyarrow.array(range(10))]
    ),
    "sparse": pyarrow.UnionArray.from_sparse(pyarrow.array([0] * 10, pyarrow.int8()), [pyarrow.array(range(10))]),
    "category": pyarrow.array(["x", "y"] * 5).dictionary_encode(),
}
read_columns = {"id": names, "vector": lists(single, f32)}
ragged = pyarrow.table({"vector": [[1.0, 2.0], [3.0]]})
nulls = pyarrow.table({"id": ["a", None], "vector": pyarrow.array([[1.0, 2.0], [3.0, None]])})
missing = pyarrow.table({"vector": pyarrow.array([[1.0, 2.0], None])})
two = pyarrow.table({"a": lists(rows, f64), "b": lists(rows * 2, f64)})

# Parquet
write = pyarrow.parquet.write_table
write(plain, "plain.parquet")
write(doubles, "doubles.parquet", compression="zstd", row_group_size=4)
write(halves, "halves.parquet", compression="gzip", data_page_version="2.0", use_dictionary=False, row_group_size=7)
write(pyarrow.table(others | read_columns), "others.parquet", compression="lz4", row_group_size=3)
write(ragged, "ragged.parquet")
write(nulls, "nulls.parquet")
write(missing, "missing.parquet")
write(two, "two.parquet")
write(plain.slice(0, 0), "empty.parquet")


# Arrow
def ipc(name, table, stream=False, compression=None, rows_per_batch=None):
    """Writes a table as an Arrow IPC file or, with `stream`, as an IPC stream."""
    options = pyarrow.ipc.IpcWriteOptions(compression=compression)
    new_writer = pyarrow.ipc.new_stream if stream else pyarrow.ipc.new_file
    with new_writer(name, table.schema, options=options) as writer:
        writer.write_table(table, max_chunksize=rows_per_batch)


ipc("plain.arrow", plain, rows_per_batch=4)
ipc("doubles.arrows", doubles, stream=True, compression="zstd", rows_per_batch=3)
ipc("halves.arrow", halves, compression="lz4", rows_per_batch=7)
ipc("others.arrows", pyarrow.table(others | only_arrow | read_columns), stream=True, rows_per_batch=3)
views = pyarrow.array(long_names, pyarrow.string_view())
ipc("views.arrow", pyarrow.table({"id": views, "vector": fixed_size_lists(single, f32)}), rows_per_batch=6)
pyarrow.feather.write_feather(plain, "plain.feather")
ipc("ragged.arrow", ragged)
ipc("nulls.arrow", nulls)
ipc("missing.arrow", missing)
ipc("two.arrow", two)
categories = pyarrow.array(names).dictionary_encode()
ipc("category.arrow", pyarrow.table({"id": categories, "vector": fixed_size_lists(single, f32)}))
ipc("empty.arrows", plain.slice(0, 0), stream=True)

# ids
with open("ids.txt", "w") as file:
    file.writelines(f"{name}\n" for name in names)
with open("ids.json", "w") as file:
    json.dump(names, file)
    file.write("\n")
