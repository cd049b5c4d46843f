// Vocabulary of the files that infer and check result types.
#pragma once

#include "dialect/stablehlo.h"
#include "llvm/ADT/SmallBitVector.h"

namespace tenon::stablehlo {

using mlir::LogicalResult;
using mlir::RankedTensorType;
using mlir::ShapedType;
using mlir::Type;
using mlir::failure;
using mlir::success;
using Dims = llvm::SmallVector<int64_t>;
using DimsRef = llvm::ArrayRef<int64_t>;
using MaybeLocation = std::optional<mlir::Location>;
using Types = llvm::SmallVectorImpl<Type>;

inline bool dynamic(int64_t size) { return ShapedType::isDynamic(size); }
inline RankedTensorType tensor(Type type) { return llvm::cast<RankedTensorType>(type); }
inline RankedTensorType tensor(mlir::Value value) { return tensor(value.getType()); }
/// Sizes agree where both are known.
inline bool same_size(int64_t a, int64_t b) { return a == b || dynamic(a) || dynamic(b); }
inline int64_t join_size(int64_t a, int64_t b) { return dynamic(a) ? b : a; }

/// A list that prints as [1, 2, ?].
struct Print {
  DimsRef dims;
};
inline mlir::Diagnostic& operator<<(mlir::Diagnostic& diagnostic, Print list) {
  diagnostic << "[";
  bool first = true;
  for (const int64_t dim : list.dims) {
    if (!first) diagnostic << ", ";
    first = false;
    dynamic(dim) ? diagnostic << "?" : diagnostic << dim;
  }
  return diagnostic << "]";
}

/// Where errors about one operation go: 'stablehlo.slice' op <parts>.
class Check {
 public:
  Check(MaybeLocation location, llvm::StringRef op) : location_(location), op_(op) {}
  template <class Op>
  static Check of(Op op) { return {op->getLoc(), Op::getOperationName()}; }

  template <class... Parts>
  LogicalResult error(Parts&&... parts) const {
    return emitOptionalError(location_, "'", op_, "' op ", std::forward<Parts>(parts)...);
  }
  /// Each of `dims` is an axis of a tensor of `rank` and stands once.
  LogicalResult axes(llvm::StringRef what, DimsRef dims, int64_t rank) const {
    llvm::SmallBitVector seen(rank);
    for (const int64_t dim : dims) {
      if (dim < 0 || dim >= rank) return error(what, " must be axes of a tensor of rank ", rank, "; got ", Print{dims});
      if (seen.test(dim)) return error(what, " must name an axis once; got ", Print{dims});
      seen.set(dim);
    }
    return success();
  }
  LogicalResult sorted(llvm::StringRef what, DimsRef dims) const {
    return llvm::is_sorted(dims) ? success() : error(what, " must be sorted; got ", Print{dims});
  }
  LogicalResult axis(llvm::StringRef what, int64_t dim, int64_t rank) const {
    return dim >= 0 && dim < rank ? success() : error(what, " must be an axis of a tensor of rank ", rank, "; got ", dim);
  }
  LogicalResult length(llvm::StringRef what, DimsRef list, int64_t length) const {
    return static_cast<int64_t>(list.size()) == length ? success()
                                                       : error(what, " must have ", length, " entries; got ", Print{list});
  }
  /// The written result type agrees with the one that follows from the operands.
  LogicalResult result(Type got, Type expected) const {
    return detail::are_compatible(got, expected) ? success() : error("result must be ", expected, "; got ", got);
  }

 private:
  MaybeLocation location_;
  llvm::StringRef op_;
};

inline RankedTensorType make_tensor(DimsRef shape, Type element, mlir::Attribute encoding = {}) {
  return RankedTensorType::get(shape, element, encoding);
}
inline DimsRef or_empty(std::optional<DimsRef> list) { return list.value_or(DimsRef()); }

/// A window of convolution, reduce_window, select_and_scatter along each spatial dimension.
struct Window {
  Dims size, stride, low, high, base_dilation, dilation;
};
/// Fills the defaults (1, no padding) and checks lengths and signs.
LogicalResult make_window(const Check& check, DimsRef size, DimsRef stride, mlir::DenseIntElementsAttr padding,
                          DimsRef base_dilation, DimsRef dilation, Window& window);
/// Number of window positions; an error when a size does not fit in 63 bits.
LogicalResult window_shape(const Check& check, DimsRef base, const Window& window, Dims& out);

/// `combiner` takes 2 * n scalars (accumulators, then elements) and returns n; element types of the accumulators.
LogicalResult check_combiner(const Check& check, mlir::Region& combiner, mlir::ValueRange inputs,
                             mlir::ValueRange inits, llvm::SmallVectorImpl<Type>& elements);
/// A comparison of pairs of scalars: returns one bool.
LogicalResult check_predicate(const Check& check, mlir::Region& region, llvm::ArrayRef<Type> scalars);
/// What the region's terminator returns; nothing when it has none.
std::optional<mlir::ValueTypeRange<mlir::OperandRange>> returned_types(mlir::Region& region);

}  // namespace tenon::stablehlo
