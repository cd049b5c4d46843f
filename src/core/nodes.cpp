#include "core/nodes.h"

#include <cmath>
#include <cstring>

#include "base/fail.h"
#include "base/promotion.h"
#include "core/layout.h"
#include "core/trace.h"
#include "tenon/detail/host.h"

namespace tenon {
namespace detail {
namespace {

template <class T>
Ref<ArrayNode> scalar_of(T value, DType from, DType dtype, bool weak) {
  auto node = make_ref<ScalarNode>(ShapedArray{{}, dtype, weak});
  convert_elements(&value, from, node->bytes, dtype, 1);
  return node;
}

}  // namespace

Ref<ArrayNode> make_scalar(double value, DType dtype, bool weak) { return scalar_of(value, DType(DType::kFloat64), dtype, weak); }
Ref<ArrayNode> make_scalar(int64_t value, DType dtype, bool weak) { return scalar_of(value, DType(DType::kInt64), dtype, weak); }
Ref<ArrayNode> make_scalar(uint64_t value, DType dtype, bool weak) { return scalar_of(value, DType(DType::kUInt64), dtype, weak); }

// A C++ bool is a strong bool, as Python's is: bool has no weak type.
Ref<ArrayNode> weak_bool(bool value) { return make_scalar(static_cast<int64_t>(value), DType(DType::kBool), false); }
// An integer that does not fit waits as an int64 for a dtype: jnp::uint32(4294967295u).
Ref<ArrayNode> weak_int(int64_t value) {
  const bool fits = value == static_cast<int32_t>(value);
  return make_scalar(value, fits ? default_int() : DType(DType::kInt64), true);
}
Ref<ArrayNode> weak_uint(uint64_t value) {
  if (value > static_cast<uint64_t>(INT64_MAX)) {
    if (default_int().code() == DType::kInt64) return make_scalar(value, DType(DType::kUInt64), false);
    fail<ValueError>("Array", "the integer ", value, " does not fit in int32; set the option enable_x64, or use a float");
  }
  return weak_int(static_cast<int64_t>(value));
}
Ref<ArrayNode> weak_complex(double real, double imag) {
  const DType dtype = default_complex();
  auto node = make_ref<ScalarNode>(ShapedArray{{}, dtype, true});
  const double parts[] = {real, imag};
  convert_elements(parts, DType(DType::kComplex128), node->bytes, dtype, 1);
  return node;
}
Ref<ArrayNode> weak_float(double value) {
  Ref<ArrayNode> node = make_scalar(value, default_float(), true);
  static_cast<ScalarNode&>(*node).written = value;
  return node;
}

namespace {

template <class T>
void check_each_fits(const char* who, const T* values, int64_t count, DType to) {
  const uint64_t greatest = ~uint64_t{0} >> (64 - to.bits() + to.is_signed());
  const int64_t least = to.is_signed() ? -static_cast<int64_t>(greatest) - 1 : 0;
  for (int64_t i = 0; i < count; ++i) {
    const T value = values[i];
    const bool fits = value < 0 ? static_cast<int64_t>(value) >= least : static_cast<uint64_t>(value) <= greatest;
    if (!fits)
      fail<ValueError>(who, "the integer ", +value, " does not fit in ", to, " (", least, " to ", greatest, ")",
                       to.bits() == 32 ? "; set the option enable_x64, or use a float" : "");
  }
}

bool is_written_integer(const ArrayNode& node) {
  return node.kind() == ArrayNode::Kind::scalar && node.aval().dtype.is_integer() &&
         (node.aval().weak_type || node.aval().dtype.code() == DType::kUInt64);
}

}  // namespace

void check_integers_fit(const char* who, const void* data, DType from, int64_t count, DType to) {
  if (!from.is_integer() || !to.is_integer() || from == to) return;
  switch (from.code()) {
    case DType::kInt8: return check_each_fits(who, static_cast<const int8_t*>(data), count, to);
    case DType::kInt16: return check_each_fits(who, static_cast<const int16_t*>(data), count, to);
    case DType::kInt32: return check_each_fits(who, static_cast<const int32_t*>(data), count, to);
    case DType::kInt64: return check_each_fits(who, static_cast<const int64_t*>(data), count, to);
    case DType::kUInt8: return check_each_fits(who, static_cast<const uint8_t*>(data), count, to);
    case DType::kUInt16: return check_each_fits(who, static_cast<const uint16_t*>(data), count, to);
    case DType::kUInt32: return check_each_fits(who, static_cast<const uint32_t*>(data), count, to);
    case DType::kUInt64: return check_each_fits(who, static_cast<const uint64_t*>(data), count, to);
    default: return;  // the narrow ones of 2 and 4 bits are in no program's text
  }
}
void check_scalar_fits(const char* who, const Array& x, DType to) {
  const ArrayNode& node = x.node(who);
  if (is_written_integer(node)) check_integers_fit(who, static_cast<const ScalarNode&>(node).bytes, node.aval().dtype, 1, to);
}
void check_default_int(const ArrayNode& node) { check_default_int(node, default_int()); }
void check_default_int(const ArrayNode& node, DType to) {
  if (node.kind() != ArrayNode::Kind::scalar || node.aval().dtype.code() != DType::kInt64 || !node.aval().weak_type) return;
  int64_t value = 0;
  std::memcpy(&value, static_cast<const ScalarNode&>(node).bytes, sizeof value);
  if (value != static_cast<int32_t>(value))
    check_integers_fit("Array", &value, node.aval().dtype, 1, to.is_integer() ? to : default_int());
}

Array scalar_array(double value, DType dtype, bool weak) { return Array(make_scalar(value, dtype, weak)); }

BufferRef ScalarNode::buffer() const {
  if (Buffer* made = buffer_.load(std::memory_order_acquire)) {
    if (!made->is_deleted()) return BufferRef(made);
    return find_client().copy_from_host(bytes, aval().dtype.itemsize(), 0);  // a program took it; the number is still there
  }
  check_default_int(*this);
  BufferRef fresh = find_client().copy_from_host(bytes, aval().dtype.itemsize(), 0);
  Buffer* expected = nullptr;
  fresh->retain();
  if (!buffer_.compare_exchange_strong(expected, fresh.get(), std::memory_order_acq_rel)) {
    fresh->release();
    return BufferRef(expected);
  }
  return fresh;
}
ScalarNode::~ScalarNode() {
  if (Buffer* made = buffer_.load()) made->release();
}

ConcreteNode::ConcreteNode(ShapedArray aval, BufferRef buffer, bool committed, const Layout& layout)
    : ArrayNode(Kind::concrete, std::move(aval)),
      buffer(std::move(buffer)),
      committed(committed),
      other_layout_(layout.major_to_minor.empty() ? nullptr : new OtherLayout{layout, {}, {}}) {}

BufferRef ConcreteNode::row_major() const {
  if (!other_layout_) return buffer;
  std::lock_guard lock(other_layout_->mutex);
  if (!other_layout_->row_major || other_layout_->row_major->is_deleted())
    other_layout_->row_major = in_other_layout(buffer, aval(), other_layout_->layout, {});
  return other_layout_->row_major;
}

void ConcreteNode::mark_deleted() const {
  buffer->mark_deleted();
  if (!other_layout_) return;
  std::lock_guard lock(other_layout_->mutex);
  if (other_layout_->row_major) other_layout_->row_major->mark_deleted();
  other_layout_->row_major = {};
}

BufferRef buffer_of(const Array& array, const char* who) {
  const ArrayNode& node = array.node(who);
  switch (node.kind()) {
    case ArrayNode::Kind::scalar: return static_cast<const ScalarNode&>(node).buffer();
    case ArrayNode::Kind::concrete: {
      const auto& concrete = static_cast<const ConcreteNode&>(node);
      if (concrete.buffer->is_deleted())
        fail<RuntimeError>(who, "the array has been deleted or donated to a program; got ", node.aval());
      return concrete.row_major();
    }
    case ArrayNode::Kind::tracer: {
      const auto& tracer = static_cast<const Tracer&>(node);
      if (tracer.trace->ended())
        fail<UnexpectedTracerError>(who, "a traced ", node.aval(), " is used after its trace (", tracer.trace->name(),
                                    ") has ended; return it from the function instead of storing it outside");
      if (Array value = tracer.trace->concrete_value(tracer); !value.is_empty()) return buffer_of(value, who);
      fail<ConcretizationTypeError>(who, "the value of a traced ", node.aval(), " is asked for", tracer.trace->describe(tracer));
    }
    case ArrayNode::Kind::abstract:
      fail<TypeError>(who, "a ShapeDtype has no elements; got ", node.aval());
  }
  TENON_CHECK(false);
}

Array array_of(BufferRef buffer, ShapedArray aval) {
  return Array(make_ref<ConcreteNode>(std::move(aval), std::move(buffer)));
}

Avals avals_of(const Arrays& xs) {
  Avals out;
  out.reserve(xs.size());
  for (const Array& x : xs) out.push_back(x.aval());
  return out;
}

Array array_from_host(const void* data, const Aval& aval) {
  return array_of(find_client().copy_from_host(data, aval.nbytes(), 0), aval);
}

std::vector<bool> bool_elements(const Array& array, Loc loc) {
  std::vector<unsigned char> bytes(static_cast<size_t>(array.size()));
  copy_elements(array, DType::kBool, bytes.data(), array.size(), "to_vector", loc);
  return std::vector<bool>(bytes.begin(), bytes.end());
}

void copy_elements(const Array& array, DType::Code dtype, void* out, int64_t count, const char* who, Loc loc) {
  SiteScope site(loc);
  const ArrayNode& node = array.node(who);
  if (node.kind() == ArrayNode::Kind::tracer) {
    const auto& tracer = static_cast<const Tracer&>(node);
    if (tracer.trace->ended())
      fail<UnexpectedTracerError>(who, "a traced ", node.aval(), " is used after its trace (", tracer.trace->name(), ") has ended");
    if (Array value = tracer.trace->concrete_value(tracer); !value.is_empty())
      return copy_elements(value, dtype, out, count, who, loc);
    if (std::string_view(who) == "bool")
      fail<TracerBoolConversionError>(tracer.trace->name(), "the value of a traced ", node.aval(), " steers an if",
                                      tracer.trace->describe(tracer), "; use lax::cond or jnp::where (& and | instead of && and ||), or make the argument static");
    if (std::string_view(who) == "to_vector")
      fail<TracerArrayConversionError>(tracer.trace->name(), "the elements of a traced ", node.aval(), " are asked for by to_vector",
                                       tracer.trace->describe(tracer), "; use jnp functions, or make the argument static");
    fail<ConcretizationTypeError>(tracer.trace->name(), "the value of a traced ", node.aval(), " is asked for by ", who,
                                  tracer.trace->describe(tracer), "; make the argument static to use it as a C++ number");
  }
  if (node.aval().shape.num_elements() != count)
    fail<ValueError>(who, "only an array of ", count, " element(s) converts; got ", node.aval());
  if (node.aval().dtype.is_prng_key()) fail<TypeError>(who, "a key has no elements; use random::key_data");
  if (node.kind() == ArrayNode::Kind::scalar)
    return convert_elements(static_cast<const ScalarNode&>(node).bytes, node.aval().dtype, out, DType(dtype), count);
  convert_elements(buffer_of(array, who)->host_data(), node.aval().dtype, out, DType(dtype), count);
}

}  // namespace detail

Array::Array(const ShapeDtype& abstract) : node_(detail::make_ref<detail::AbstractNode>(abstract.aval())) {}

void Array::throw_empty(const char* who) {
  fail<ValueError>(who, "the Array is empty (default-constructed); give it a value first");
}

// The buffer of a value; nullptr for a scalar, whose value is always there.
static Buffer* buffer_behind(const Array& array, const char* who) {
  const detail::ArrayNode& node = array.node(who);
  if (node.kind() == detail::ArrayNode::Kind::concrete)
    return static_cast<const detail::ConcreteNode&>(node).buffer.get();
  if (node.kind() == detail::ArrayNode::Kind::scalar) return nullptr;
  if (const detail::Tracer* tracer = detail::tracer_of(array)) {
    Array value = tracer->trace->concrete_value(*tracer);
    if (!value.is_empty()) return buffer_behind(value, who);
    fail<ConcretizationTypeError>(who, "a traced ", node.aval(), " has no buffer", tracer->trace->describe(*tracer));
  }
  fail<TypeError>(who, "a ShapeDtype has no buffer; got ", node.aval());
}

// In whatever layout it is.
static BufferRef stored_buffer_of(const Array& array, const char* who) {
  Buffer* buffer = buffer_behind(array, who);
  return buffer && !buffer->is_deleted() ? BufferRef(buffer) : detail::buffer_of(array, who);
}

Device Array::device() const {
  Buffer* buffer = buffer_behind(*this, "device");
  return buffer ? buffer->device() : Device(&find_client(), 0);
}
Format Array::format() const {
  const detail::ArrayNode& node = this->node("format");
  Format format;
  if (node.kind() == detail::ArrayNode::Kind::concrete) format.layout = static_cast<const detail::ConcreteNode&>(node).layout();
  if (!format.layout.major_to_minor.empty()) return format;
  for (int i = 0; i < ndim(); ++i) format.layout.major_to_minor.push_back(i);
  return format;
}
bool Array::is_ready() const {
  Buffer* buffer = buffer_behind(*this, "is_ready");
  return !buffer || buffer->is_ready();
}
bool Array::is_deleted() const {
  if (node("is_deleted").kind() != detail::ArrayNode::Kind::concrete) return false;
  return static_cast<const detail::ConcreteNode&>(*node_).buffer->is_deleted();
}
Array Array::block_until_ready() const {
  if (is_tracer()) return *this;  // as in JAX: nothing to wait for while tracing
  if (node("block_until_ready").kind() == detail::ArrayNode::Kind::scalar) return *this;
  stored_buffer_of(*this, "block_until_ready")->wait();
  return *this;
}
void Array::delete_buffer() const {
  const detail::ArrayNode& node = this->node("delete_buffer");
  if (node.kind() == detail::ArrayNode::Kind::concrete) return static_cast<const detail::ConcreteNode&>(node).mark_deleted();
  if (Buffer* buffer = buffer_behind(*this, "delete_buffer")) buffer->mark_deleted();
}
const void* Array::unsafe_buffer_pointer() const {
  return stored_buffer_of(*this, "unsafe_buffer_pointer")->unsafe_pointer();
}

}  // namespace tenon
