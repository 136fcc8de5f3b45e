// SPDX-License-Identifier: Apache-2.0
// Ops over text, sequences, pictures and boxes.
#include <cstring>

#include "sweeps/sweep.hpp"

namespace tenon::bench {
namespace {

using List = std::vector<std::int64_t>;

// One text of n bytes, or n words.
void OneText(Index n, Call& c) { c.In(Texts(Text(n))); }
void ManyWords(Index n, Call& c) { c.In(Words({n})); }

// Two lines of n letters as sparse matrices of one row; the second differs from the first in every fourth letter, or
// in all.
void TwoLines(Call& c, Index n, bool similar) {
  Tensor indices(DataType::kInt64, {n, 2});
  for (Index i = 0; i < n; ++i) {
    indices.flat<std::int64_t>()[2 * i] = 0;
    indices.flat<std::int64_t>()[2 * i + 1] = i;
  }
  const Tensor first = Ints({n}, 4), other = Ints({n}, 4, 2);
  Tensor second = other;
  if (similar) {
    second = Ints({n}, 4);
    for (Index i = 0; i < n; i += 4) second.flat<std::int32_t>()[i] = other.flat<std::int32_t>()[i];
  }
  for (const Tensor& values : {first, second}) {
    c.In(indices);
    c.In(values);
    c.In(Vector<std::int64_t>({1, n}));
  }
}
// n words of `length` letters beside n others.
void WordPairs(Call& c, Index n, Index length) {
  Tensor indices(DataType::kInt64, {n, 2});
  for (Index i = 0; i < n; ++i) {
    indices.flat<std::int64_t>()[2 * i] = i / length;
    indices.flat<std::int64_t>()[2 * i + 1] = i % length;
  }
  for (const std::uint64_t seed : {1u, 2u}) {
    c.In(indices);
    c.In(Ints({n}, 4, seed));
    c.In(Vector<std::int64_t>({n / length, length}));
  }
}

constexpr Index kClasses = 16;
// Logits of n steps and their length.
void Steps16(Call& c, Index n) {
  c.In(Numbers({n, 1, kClasses}, -4, 4));
  c.In(Vector({n}));
}
void CtcLoss(Index n, Call& c) {
  const Index labels = n / 4;
  Tensor indices(DataType::kInt64, {labels, 2});
  for (Index i = 0; i < labels; ++i) {
    indices.flat<std::int64_t>()[2 * i] = 0;
    indices.flat<std::int64_t>()[2 * i + 1] = i;
  }
  c.In(Numbers({n, 1, kClasses}, -4, 4));
  c.In(indices);
  c.In(Ints({labels}, kClasses - 1));
  c.In(Vector({n}));
  c.compared = 1;  // the gradient is a difference of large logarithms
}

// n boxes of sides up to `most` in the unit square, and their scores.
void Boxes(Call& c, Index n, float most, const TensorShape& shape) {
  Tensor boxes(DataType::kFloat, {n, 4});
  const Tensor numbers = Numbers({n, 4}, 0, 1);
  for (Index i = 0; i < n; ++i)
    for (Index d = 0; d < 2; ++d) {
      const float at = numbers.flat<float>()[4 * i + d];
      boxes.flat<float>()[4 * i + d] = at;
      boxes.flat<float>()[4 * i + d + 2] = at + most * (0.1f + numbers.flat<float>()[4 * i + d + 2]);
    }
  c.In(Shaped(boxes, shape));
}
void Suppress(Call& c, Index n, float most, Index kept) {
  Boxes(c, n, most, {n, 4});
  c.In(Numbers({n}, 0, 1, 2));
  c.In(One(kept));
  c.In(One(0.5f));
  c.In(One(0.0f));
}

Tensor Picture(Index n, Index channels = 3) { return Numbers({1, Side(n), Side(n), channels}, 0, 1); }
// To twice the size, or the half.
void Larger(Index n, Call& c) {
  c.In(Picture(n / 4));
  c.In(Vector({Side(n), Side(n)}));
}
void Smaller(Index n, Call& c) {
  c.In(Picture(n));
  c.In(Vector({Side(n) / 2, Side(n) / 2 + 1}));
}
void Colours(Index n, Call& c) { c.In(Picture(n)); }

const Sweep kSweeps[] = {
    // ---- text
    {"StringSplitV2_one", "StringSplitV2", "bytes of one text", 22,
     [](Index n, Call& c) {
       OneText(n, c);
       c.In(Tensor::Scalar(" "));
     }},
    {"StringSplitV2_spaces", "StringSplitV2", "bytes of one text, at white space", 22,
     [](Index n, Call& c) {
       OneText(n, c);
       c.In(Tensor::Scalar(""));
     }},
    {"StringSplitV2_long_separator", "StringSplitV2", "bytes of one text", 22,
     [](Index n, Call& c) {
       c.In(Texts(tstring(std::string(static_cast<std::size_t>(n), 'a'))));
       c.In(Tensor::Scalar("aaaaaaaab"));
     }},
    {"StringSplit", "StringSplit", "bytes of one text", 22,
     [](Index n, Call& c) {
       OneText(n, c);
       c.In(Tensor::Scalar(" "));
     }},
    {"StringSplit_words", "StringSplit", "texts of about 16 bytes", 18,
     [](Index n, Call& c) {
       Tensor texts(DataType::kString, {n});
       for (Index i = 0; i < n; ++i) texts.flat<tstring>()[i] = Text(16, static_cast<std::uint64_t>(i));
       c.In(texts);
       c.In(Tensor::Scalar(" "));
     }},
    {"RegexReplace_one", "RegexReplace", "bytes of one text", 20,
     [](Index n, Call& c) {
       OneText(n, c);
       c.In(Tensor::Scalar("([a-e]+)[f-z]"));
       c.In(Tensor::Scalar("<\\1>"));
     }},
    {"RegexReplace_words", "RegexReplace", "words", 18,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.In(Tensor::Scalar("([a-e]+)[f-z]"));
       c.In(Tensor::Scalar("<\\1>"));
     }},
    {"StaticRegexReplace", "StaticRegexReplace", "words", 18,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.attrs = {{"pattern", "[aeiou]"}, {"rewrite", "_"}};
     }},
    {"RegexFullMatch", "RegexFullMatch", "words", 20,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.In(Tensor::Scalar("[a-m].*"));
     }},
    {"RegexFullMatch_one", "RegexFullMatch", "bytes of one text", 22,
     [](Index n, Call& c) {
       OneText(n, c);
       c.In(Tensor::Scalar("(a|aa|[b-z ])*"));
     }},
    {"StringJoin", "StringJoin", "words of each of 2 lists", 20,
     [](Index n, Call& c) {
       c.List({Words({n}), Words({n}, 2)});
       c.attrs = {{"separator", "-"}};
     }},
    {"ReduceJoin_one", "ReduceJoin", "words, all into one", 20,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.In(Vector({0}));
       c.attrs = {{"separator", " "}};
     }},
    {"ReduceJoin_rows", "ReduceJoin", "words, rows of 4", 20,
     [](Index n, Call& c) {
       c.In(Words({n / 4, 4}));
       c.In(Vector({1}));
       c.attrs = {{"separator", " "}};
     }},
    {"UnsortedSegmentJoin", "UnsortedSegmentJoin", "words of n / 4 segments", 20,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.In(Ints({n}, n / 4));
       c.In(One(n / 4));
     }},
    {"StringLower", "StringLower", "words", 20, &ManyWords},
    {"StringUpper_one", "StringUpper", "bytes of one text", 22, &OneText},
    {"StringUpper_utf8", "StringUpper", "bytes of one text", 20,
     [](Index n, Call& c) {
       OneText(n, c);
       c.attrs = {{"encoding", "utf-8"}};
     }},
    {"StringStrip", "StringStrip", "words", 20, &ManyWords},
    {"StringLength_utf8", "StringLength", "bytes of one text", 22,
     [](Index n, Call& c) {
       OneText(n, c);
       c.attrs = {{"unit", "UTF8_CHAR"}};
     }},
    {"Substr", "Substr", "words", 20,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.In(One(1));
       c.In(One(2));
     }},
    {"UnicodeDecodeWithOffsets", "UnicodeDecodeWithOffsets", "bytes of one text", 20,
     [](Index n, Call& c) {
       OneText(n, c);
       c.attrs = {{"input_encoding", "UTF-8"}};
     }},
    {"UnicodeTranscode", "UnicodeTranscode", "bytes of one text", 20,
     [](Index n, Call& c) {
       OneText(n, c);
       c.attrs = {{"input_encoding", "UTF-8"}, {"output_encoding", "UTF-16-BE"}};
     }},
    {"UnicodeEncode", "UnicodeEncode", "letters, words of 4", 20,
     [](Index n, Call& c) {
       c.In(Ints({n}, 0xd000));
       c.In(Steps<std::int64_t>(n / 4 + 1, 1, 4));
       c.attrs = {{"output_encoding", "UTF-8"}};
     }},
    {"UnicodeScript", "UnicodeScript", "letters", 20, [](Index n, Call& c) { c.In(Ints({n}, 0x3000)); }},
    {"StringNGrams", "StringNGrams", "words of one row", 18,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.In(Vector<std::int64_t>({0, n}));
       c.attrs = {{"separator", " "},  {"ngram_widths", List{1, 2, 3}}, {"left_pad", "<"},
                  {"right_pad", ">"}, {"pad_width", -1},               {"preserve_short_sequences", false}};
     }},
    {"StringToHashBucketFast", "StringToHashBucketFast", "words", 20,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.attrs = {{"num_buckets", 1000}};
     }},
    {"StringToHashBucketFast_one", "StringToHashBucketFast", "bytes of one text", 22,
     [](Index n, Call& c) {
       OneText(n, c);
       c.attrs = {{"num_buckets", 1000}};
     }},
    {"StringToHashBucketStrong", "StringToHashBucketStrong", "words", 20,
     [](Index n, Call& c) {
       ManyWords(n, c);
       c.attrs = {{"num_buckets", 1000}, {"key", List{1, 2}}};
     }},
    {"EncodeBase64", "EncodeBase64", "bytes of one text", 22, &OneText},
    {"DecodeBase64", "DecodeBase64", "bytes of one text", 22,
     [](Index n, Call& c) {
       Random random;
       std::string text(static_cast<std::size_t>(n), 'A');
       for (char& x : text) x = "ABCDEFGHabcdefgh0123456789-_"[random.Below(28)];
       c.In(Texts(tstring(text)));
     }},
    {"StringToNumber", "StringToNumber", "numbers", 20,
     [](Index n, Call& c) {
       Tensor texts(DataType::kString, {n});
       const Tensor numbers = Numbers({n}, -1000, 1000);
       for (Index i = 0; i < n; ++i) texts.flat<tstring>()[i] = tstring(std::to_string(numbers.flat<float>()[i]));
       c.In(texts);
     }},
    {"AsString", "AsString", "floats", 18, [](Index n, Call& c) { c.In(Numbers({n}, -1000, 1000)); }},
    {"AsString_int32", "AsString", "integers", 20, [](Index n, Call& c) { c.In(Ints({n}, 1 << 30)); }},
    {"DecodeCSV", "DecodeCSV", "records of 4 fields", 18,
     [](Index n, Call& c) {
       Tensor records(DataType::kString, {n});
       for (Index i = 0; i < n; ++i)
         records.flat<tstring>()[i] = tstring(StrCat(i, ",", i % 7, ".5,word", i % 100, ",\"a, b\""));
       c.In(records);
       c.List({Vector({0}), Vector<float>({0}), Texts(tstring("")), Texts(tstring(""))});
     }},
    {"DecodeRaw", "DecodeRaw", "bytes of one text", 24,
     [](Index n, Call& c) {
       OneText(n, c);
       c.attrs = {{"out_type", DataType::kInt32}};
     }},
    {"DecodeRaw_big_endian", "DecodeRaw", "bytes of one text", 24,
     [](Index n, Call& c) {
       OneText(n, c);
       c.attrs = {{"out_type", DataType::kInt32}, {"little_endian", false}};
     }},
    {"SerializeTensor", "SerializeTensor", "floats", 22, [](Index n, Call& c) { c.In(Numbers({n})); }},
    {"EditDistance", "EditDistance", "letters of each line", 14, [](Index n, Call& c) { TwoLines(c, n, false); }},
    {"EditDistance_similar", "EditDistance", "letters of each line", 14,
     [](Index n, Call& c) { TwoLines(c, n, true); }},
    {"EditDistance_words", "EditDistance", "letters, words of 8", 20, [](Index n, Call& c) { WordPairs(c, n, 8); }},
    // ---- sequences
    {"CTCLoss", "CTCLoss", "steps, n / 4 labels", 14, &CtcLoss},
    {"CTCGreedyDecoder", "CTCGreedyDecoder", "steps of 16 classes", 20, [](Index n, Call& c) { Steps16(c, n); }},
    {"CTCBeamSearchDecoder", "CTCBeamSearchDecoder", "steps of 16 classes, 16 beams", 10,
     [](Index n, Call& c) {
       Steps16(c, n);
       c.attrs = {{"beam_width", 16}, {"top_paths", 1}};
     }},
    // ---- boxes
    {"NonMaxSuppressionV3", "NonMaxSuppressionV3", "boxes, 100 kept", 20,
     [](Index n, Call& c) { Suppress(c, n, 0.2f, 100); }},
    {"NonMaxSuppressionV3_all", "NonMaxSuppressionV3", "boxes, all kept that may be", 16,
     [](Index n, Call& c) { Suppress(c, n, 0.2f, n); }},
    {"NonMaxSuppressionV3_apart", "NonMaxSuppressionV3", "small boxes, all kept that may be", 14,
     [](Index n, Call& c) { Suppress(c, n, 0.001f, n); }},
    {"NonMaxSuppressionV4", "NonMaxSuppressionV4", "boxes, 100 kept", 20,
     [](Index n, Call& c) { Suppress(c, n, 0.2f, 100); }},
    {"NonMaxSuppressionV5_soft", "NonMaxSuppressionV5", "boxes, 100 kept", 18,
     [](Index n, Call& c) {
       Suppress(c, n, 0.2f, 100);
       c.In(One(0.5f));
     }},
    {"NonMaxSuppressionWithOverlaps", "NonMaxSuppressionWithOverlaps", "boxes squared", 22,
     [](Index n, Call& c) {
       Tensor overlaps = Numbers({Side(n), Side(n)}, 0, 0.6);
       c.In(overlaps);
       c.In(Numbers({Side(n)}, 0, 1, 2));
       c.In(One(Side(n)));
       c.In(One(0.5f));
       c.In(One(0.0f));
     }},
    {"CombinedNonMaxSuppression", "CombinedNonMaxSuppression", "boxes, 8 classes, 100 kept", 16,
     [](Index n, Call& c) {
       Boxes(c, n, 0.2f, {1, n, 1, 4});
       c.In(Numbers({1, n, 8}, 0, 1, 2));
       c.In(One(100));
       c.In(One(100));
       c.In(One(0.5f));
       c.In(One(0.0f));
     }},
    // ---- pictures
    {"ResizeBilinear_larger", "ResizeBilinear", "pixels of the result", 20, &Larger},
    {"ResizeBilinear_smaller", "ResizeBilinear", "pixels of the picture", 20, &Smaller},
    {"ResizeNearestNeighbor", "ResizeNearestNeighbor", "pixels of the result", 20, &Larger},
    {"ResizeBicubic", "ResizeBicubic", "pixels of the result", 20, &Larger},
    {"ResizeArea", "ResizeArea", "pixels of the picture", 20, &Smaller},
    {"ResizeBilinearGrad", "ResizeBilinearGrad", "pixels of the gradient", 20,
     [](Index n, Call& c) {
       c.In(Picture(n));
       c.In(Picture(n / 4));
       c.relative_error = 1e-3;
     }},
    {"ResizeNearestNeighborGrad", "ResizeNearestNeighborGrad", "pixels of the gradient", 20,
     [](Index n, Call& c) {
       c.In(Picture(n));
       c.In(Vector({Side(n) / 2, Side(n) / 2}));
     }},
    {"ResizeBicubicGrad", "ResizeBicubicGrad", "pixels of the gradient", 18,
     [](Index n, Call& c) {
       c.In(Picture(n));
       c.In(Picture(n / 4));
       c.relative_error = 1e-3;
     }},
    {"ScaleAndTranslate", "ScaleAndTranslate", "pixels of the picture", 18,
     [](Index n, Call& c) {
       Smaller(n, c);
       c.In(Tensor::From<float>({0.5f, 0.5f}, {2}));
       c.In(Tensor::From<float>({0, 0}, {2}));
     }},
    {"CropAndResize", "CropAndResize", "boxes of 8 x 8 pixels", 16,
     [](Index n, Call& c) {
       c.In(Picture(1 << 16));
       Boxes(c, n, 0.2f, {n, 4});
       c.In(Ints({n}, 1));
       c.In(Vector({8, 8}));
       c.relative_error = 1e-3;  // one ulp of a place, by a fused multiplication, between two pixels
     }},
    {"CropAndResizeGradImage", "CropAndResizeGradImage", "boxes of 8 x 8 pixels", 16,
     [](Index n, Call& c) {
       c.In(Numbers({n, 8, 8, 3}));
       Boxes(c, n, 0.2f, {n, 4});
       c.In(Ints({n}, 1));
       c.In(Vector({1, 256, 256, 3}));
       c.attrs = {{"T", DataType::kFloat}};
       c.relative_error = 1e-2;
     }},
    {"ExtractImagePatches", "ExtractImagePatches", "pixels, patches of 3 x 3", 20,
     [](Index n, Call& c) {
       c.In(Picture(n));
       c.attrs = {{"ksizes", List{1, 3, 3, 1}}, {"strides", List{1, 1, 1, 1}}, {"rates", List{1, 1, 1, 1}},
                  {"padding", "SAME"}};
     }},
    {"ExtractGlimpse", "ExtractGlimpse", "pixels, the middle half", 20,
     [](Index n, Call& c) {
       c.In(Picture(n));
       c.In(Vector({Side(n) / 2, Side(n) / 2}));
       c.In(Tensor::From<float>({0, 0}, {1, 2}));
     }},
    {"ImageProjectiveTransformV3", "ImageProjectiveTransformV3", "pixels", 20,
     [](Index n, Call& c) {
       c.In(Picture(n));
       c.In(Tensor::From<float>({0.9f, 0.1f, 0, -0.1f, 0.9f, 0, 0, 0}, {1, 8}));
       c.In(Vector({Side(n), Side(n)}));
       c.In(One(0.0f));
       c.attrs = {{"interpolation", "BILINEAR"}};
       c.relative_error = 1e-2;
     }},
    {"DrawBoundingBoxesV2", "DrawBoundingBoxesV2", "pixels, 16 boxes", 20,
     [](Index n, Call& c) {
       c.In(Picture(n));
       Boxes(c, 16, 0.2f, {1, 16, 4});
       c.In(Numbers({2, 3}, 0, 1));
     }},
    {"RGBToHSV", "RGBToHSV", "pixels", 22, &Colours},
    {"HSVToRGB", "HSVToRGB", "pixels", 22, &Colours},
    {"AdjustHue", "AdjustHue", "pixels", 22,
     [](Index n, Call& c) {
       Colours(n, c);
       c.In(One(0.2f));
       c.relative_error = 1e-3;
     }},
    {"AdjustSaturation", "AdjustSaturation", "pixels", 22,
     [](Index n, Call& c) {
       Colours(n, c);
       c.In(One(0.5f));
     }},
    {"AdjustContrastv2", "AdjustContrastv2", "pixels", 22,
     [](Index n, Call& c) {
       Colours(n, c);
       c.In(One(0.5f));
       c.relative_error = 1e-2;
     }},
    {"EncodeWav", "EncodeWav", "samples", 20,
     [](Index n, Call& c) {
       c.In(Numbers({n, 1}));
       c.In(One(16000));
     }},
};
const SweepList list(kSweeps);

}  // namespace
}  // namespace tenon::bench
