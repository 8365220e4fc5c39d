//! Writes the attention of a layer.

use transformer::weights::Layer;

use crate::forms::{HeadsForm, MaskForm, ScaleForm};
use crate::writer::{Writer, int};

impl Writer {
    /// The mask, or the condition of the mask, `[batch, 1, queries or 1, keys]`.
    pub fn mask(&mut self) -> Option<String> {
        let zero = self.int(0);
        let source = if self.forms.mask == MaskForm::ById { "input_ids" } else { "attention_mask" };
        let is_padding = self.node("Equal", &[source, &zero]);
        let axes = self.ints(&[1, 2]);
        let is_padding = self.node("Unsqueeze", &[&is_padding, &axes]);
        let is_hidden = match self.forms.mask {
            MaskForm::None => return None,
            MaskForm::PaddingReplaced => return Some(is_padding),
            MaskForm::OthersReplaced => return Some(self.node("Not", &[&is_padding])),
            MaskForm::Added(_) | MaskForm::ById => is_padding,
            MaskForm::Window(width) => {
                let axis = self.ints(&[0]);
                let length = self.length();
                let length = self.node("Squeeze", &[&length, &axis]);
                let (start, step) = (self.int(0), self.int(1));
                let keys = self.node("Range", &[&start, &length, &step]);
                let axis = self.ints(&[1]);
                let queries = self.node("Unsqueeze", &[&keys, &axis]);
                let distance = self.node("Sub", &[&queries, &keys]);
                let distance = self.node("Mul", &[&distance, &distance]);
                let limit = self.int(width * width);
                let is_far = self.node("Greater", &[&distance, &limit]);
                self.node("Or", &[&is_far, &is_padding])
            }
        };
        let addend = if let MaskForm::Added(addend) = self.forms.mask { addend } else { f32::MIN };
        let (padding, tokens) = (self.float(addend), self.float(0.0));
        Some(self.node("Where", &[&is_hidden, &padding, &tokens]))
    }

    pub fn attention(&mut self, layer: &Layer, hidden: &str, mask: Option<&str>) -> String {
        let heads = layer.heads as i64;
        let head_dim = (layer.query.outputs / layer.heads) as i64;
        let mut parts = [&layer.query, &layer.key, &layer.value].map(|linear| {
            let part = self.linear(linear, hidden);
            let part = self.reshape(&part, &[0, 0, heads, head_dim]);
            self.transpose(&part, &[0, 2, 1, 3])
        });
        if self.forms.heads == HeadsForm::Wrong {
            let value = self.linear(&layer.value, hidden);
            parts[2] = self.reshape(&value, &[2, heads, -1, head_dim]);
        }
        let [query, key, value] = &mut parts;
        if matches!(self.forms.scale, ScaleForm::QueriesAndKeys) {
            *query = self.multiply(query, layer.scale.sqrt());
            *key = self.multiply(key, layer.scale.sqrt());
        }
        if matches!(self.forms.scale, ScaleForm::Values) {
            *value = self.multiply(value, 2.0);
        }
        let transposed = if self.forms.heads == HeadsForm::Merged {
            let length = self.length();
            let any = self.ints(&[-1]);
            let size = self.ints(&[head_dim]);
            let merged = self.with("Concat", &[&any, &length, &size], vec![int("axis", 0)]);
            let merged = self.node("Reshape", &[key, &merged]);
            let merged = self.transpose(&merged, &[0, 2, 1]);
            let heads = self.ints(&[heads]);
            let shape = self.with("Concat", &[&any, &heads, &size, &length], vec![int("axis", 0)]);
            self.node("Reshape", &[&merged, &shape])
        } else {
            self.transpose(key, &[0, 1, 3, 2])
        };
        let mut scores = self.node("MatMul", &[query, &transposed]);
        match self.forms.scale {
            ScaleForm::Scores | ScaleForm::Values => scores = self.multiply(&scores, layer.scale),
            ScaleForm::Divided => {
                let divisor = self.float(1.0 / layer.scale);
                scores = self.node("Div", &[&scores, &divisor]);
            }
            ScaleForm::QueriesAndKeys => {}
        }
        if let Some(mask) = mask {
            let padding = self.float(f32::NEG_INFINITY);
            scores = match self.forms.mask {
                MaskForm::PaddingReplaced => self.node("Where", &[mask, &padding, &scores]),
                MaskForm::OthersReplaced => self.node("Where", &[mask, &scores, &padding]),
                _ => self.node("Add", &[&scores, mask]),
            };
        }
        let weights = self.with("Softmax", &[&scores], vec![int("axis", -1)]);
        let context = self.node("MatMul", &[&weights, value]);
        let context = self.transpose(&context, &[0, 2, 1, 3]);
        self.reshape(&context, &[0, 0, heads * head_dim])
    }
}
