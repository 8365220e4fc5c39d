//! The forms in which exporters and quantizers write the parts of a graph: [`Forms`].

/// The forms of the parts of a graph.
#[derive(Debug, Clone, Copy)]
pub struct Forms {
    pub linear: LinearForm,
    pub table: TableForm,
    pub positions: PositionForm,
    pub mask: MaskForm,
    pub scale: ScaleForm,
    pub heads: HeadsForm,
    pub activation: ActivationForm,
    pub column: ColumnForm,
}

/// How linear functions are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum LinearForm {
    /// `MatMul` or `MatMulInteger`, then `Add`.
    Product,
    /// `Gemm` of flattened rows, with the matrix transposed.
    Gemm,
    /// Bytes are unsigned, with this zero point.
    Unsigned(u8),
    /// Bytes are signed, with the zero point 1.
    ShiftedByOne,
}

/// How tables of bytes are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum TableForm {
    Unsigned,
    Signed,
}

/// How positions are written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum PositionForm {
    /// The rows are looked up by a slice of a constant.
    Lookup,
    /// The table is sliced.
    Slice,
    /// The rows are looked up by the cumulative sum of the mask, as in RoBERTa.
    CountedTokens,
    /// All positions but the first are too large by one.
    Skipping,
}

/// How the attention is masked.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum MaskForm {
    /// This addend for padding.
    Added(f32),
    /// Padding is replaced.
    PaddingReplaced,
    /// All but tokens is replaced.
    OthersReplaced,
    /// Tokens attend to others at this distance at most.
    Window(i64),
    /// Padding is recognized by its id.
    ById,
    /// There is no mask.
    None,
}

/// Where the scale of the scores is applied.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ScaleForm {
    /// The scores are multiplied.
    Scores,
    /// The scores are divided.
    Divided,
    /// Queries and keys are multiplied by the root of the scale.
    QueriesAndKeys,
    /// The values are multiplied too.
    Values,
}

/// How heads are split.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum HeadsForm {
    /// Keys are transposed in one step.
    OneStep,
    /// Keys are transposed in two steps, with the heads merged with the batch in between.
    Merged,
    /// The sequence is split instead of the rows.
    Wrong,
}

/// How the activation function is written.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ActivationForm {
    /// x · 0.5 · (1 + erf(x · 0.7071)).
    Factors,
    /// (x · (erf(x / 1.4142) + 1)) · 0.5.
    DividedArgument,
    /// The operator `Gelu`.
    Operator,
    /// The operator `Gelu` with the approximation by tanh.
    Approximation,
    /// The operator `Relu`.
    Relu,
}

/// How one output of a linear function is taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ColumnForm {
    Gather,
    Split,
    Slice,
}

/// The most common forms.
pub const COMMON: Forms = Forms {
    linear: LinearForm::Product,
    table: TableForm::Unsigned,
    positions: PositionForm::Lookup,
    mask: MaskForm::Added(f32::MIN),
    scale: ScaleForm::Scores,
    heads: HeadsForm::OneStep,
    activation: ActivationForm::Factors,
    column: ColumnForm::Gather,
};
