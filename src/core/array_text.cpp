// Array::str: elements in brackets, laid out as NumPy lays them out; arrays of more than 1000
// elements are summarized, those from 1 MiB on show no element and are not waited for.
#include <algorithm>

#include "base/fail.h"
#include "core/nodes.h"
#include "core/number_text.h"
#include "core/trace.h"

namespace tenon {
namespace {

constexpr int64_t kSummarizeAbove = 1000;  // elements
constexpr int64_t kEdge = 3;               // elements that a summary shows at each end
constexpr int64_t kNoElementsFrom = 1 << 20;  // bytes
constexpr size_t kLineWidth = 75;

// Lays elements out that were taken in the order in which they stand in the text.
class Rows {
 public:
  Rows(const void* data, const Shape& shape, DType dtype, std::string_view separator, size_t prefix, size_t suffix)
      : shape_(shape), separator_(separator), width_(kLineWidth - suffix), summarize_(shape.num_elements() > kSummarizeAbove) {
    std::vector<const void*> shown;
    std::vector<int64_t> strides(shape.size(), dtype.itemsize());
    for (size_t axis = shape.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * shape[axis];
    collect(static_cast<const char*>(data), strides, 0, shown);
    texts_ = detail::number_texts(shown, dtype, shape.empty());
    if (shape.empty())
      out_ = texts_[0];
    else
      list(0, prefix + 1, width_);
  }
  std::string take() { return std::move(out_); }

 private:
  bool shortened(size_t axis) const { return summarize_ && shape_[axis] > 2 * kEdge; }

  void collect(const char* data, const std::vector<int64_t>& strides, size_t axis, std::vector<const void*>& shown) const {
    if (axis == shape_.size()) return shown.push_back(data);
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      if (shortened(axis) && i == kEdge) i = shape_[axis] - kEdge;
      collect(data + i * strides[axis], strides, axis + 1, shown);
    }
  }

  // "[...]" of one axis. `indent`: columns before what stands in the bracket; `width`: columns that
  // a line may take, without the brackets that close behind it.
  void list(size_t axis, size_t indent, size_t width) {
    out_ += '[';
    size_t inner = shape_.size() - axis;
    std::string line_end = std::string(separator_.substr(0, separator_.find_last_not_of(' ') + 1)) + std::string(inner - 1, '\n');
    size_t column = indent;  // of the line, on the last axis
    size_t line_width = width - std::max<size_t>(line_end.size() - (inner - 1), 1);
    auto word = [&](const std::string& text) {
      if (column + text.size() > line_width && column > indent) {
        out_.erase(out_.find_last_not_of(' ') + 1);
        out_ += '\n' + std::string(indent, ' ');
        column = indent;
      }
      out_ += text;
      column += text.size();
    };
    auto item = [&](bool last) {
      if (inner == 1)
        word(texts_[next_++]);
      else
        list(axis + 1, indent + 1, width - 1);
      if (!last) separate(inner, line_end, indent, column);
    };
    for (int64_t i = 0; i < shape_[axis]; ++i) {
      if (shortened(axis) && i == kEdge) {
        i = shape_[axis] - kEdge;
        if (inner == 1) word("...");
        else out_ += "...";
        separate(inner, line_end, indent, column);
      }
      item(i + 1 == shape_[axis]);
    }
    out_ += ']';
  }
  void separate(size_t inner, const std::string& line_end, size_t indent, size_t& column) {
    if (inner > 1) {
      out_ += line_end + std::string(indent, ' ');
      return;
    }
    out_ += separator_;
    column += separator_.size();
  }

  const Shape& shape_;
  std::string_view separator_;
  size_t width_;
  bool summarize_;
  std::vector<std::string> texts_;
  size_t next_ = 0;
  std::string out_;
};

// Room for "dtype=..." on the last line decides what stands before it; JAX breaks no line there.
std::string with_dtype(const std::string& body, const Aval& aval) {
  std::string dtype = "dtype=" + aval.dtype.str() + (aval.weak_type ? ", weak_type=True" : "");
  size_t last_line = body.size() - (body.rfind('\n') + 1) + 2;  // npos + 1 == 0
  return "Array(" + body + "," + std::string(last_line + dtype.size() + 2 > kLineWidth ? 6 : 1, ' ') + dtype + ")";
}

// A key shows the two words behind it.
std::string key_str(const Aval& aval, const void* words) {
  Shape shape = aval.shape;
  shape.push_back(2);
  std::string elements = shape.num_elements() == 0 ? "[]" : Rows(words, shape, DType(DType::kUInt32), " ", 0, 0).take();
  return "Array(" + aval.shape.str() + ", dtype=" + aval.dtype.str() + ") overlaying:\n" + elements;
}

}  // namespace

std::string detail::Trace::tracer_str(const Tracer& tracer) const {
  const Aval& aval = tracer.aval();
  std::string shape = aval.str_short().substr(aval.dtype.short_str().size());
  return std::string("JitTracer(") + (aval.weak_type ? "~" : "") + aval.dtype.str() + shape + ")";
}

std::string Array::str() const {
  using Kind = detail::ArrayNode::Kind;
  const detail::ArrayNode& node = this->node("str");
  const Aval& aval = node.aval();
  if (node.kind() == Kind::tracer) {
    const auto& tracer = static_cast<const detail::Tracer&>(node);
    return tracer.trace->tracer_str(tracer);
  }
  if (node.kind() == Kind::abstract) return ShapeDtype(aval.shape, aval.dtype).str();
  if (!aval.dtype.is_prng_key()) {
    if (aval.shape.num_elements() == 0) return with_dtype("[], shape=" + aval.shape.str(), aval);
    if (aval.nbytes() >= kNoElementsFrom) return with_dtype("shape=" + aval.shape.str(), aval);
  }
  if (node.kind() == Kind::scalar) {
    const void* bytes = static_cast<const detail::ScalarNode&>(node).bytes;
    return with_dtype(Rows(bytes, aval.shape, aval.dtype, ", ", 0, 1).take(), aval);
  }
  BufferRef buffer = detail::buffer_of(*this, "str");
  buffer->wait();
  std::string staged;
  const void* data = buffer->host_data();
  if (!data) {
    staged.resize(static_cast<size_t>(buffer->size_bytes()));
    buffer->copy_to_host(staged.data());
    data = staged.data();
  }
  if (aval.dtype.is_prng_key()) return key_str(aval, data);
  return with_dtype(Rows(data, aval.shape, aval.dtype, ", ", 6, 1).take(), aval);
}

}  // namespace tenon
