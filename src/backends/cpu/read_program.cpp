#include "backends/cpu/program.h"
#include "backends/cpu/read_fusion.h"
#include "backends/cpu/read_steps.h"
#include "base/fail.h"
#include "dialect/captured_arrays.h"
#include "dialect/host_calls.h"
#include "dialect/launches.h"
#include "dialect/module_impl.h"
#include "dialect/stablehlo.h"
#include "dialect/tenon_ops.h"
#include "dialect/types.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/TypeSwitch.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <cstring>
#include <memory>
#include <optional>
#include <utility>

namespace tenon::cpu {

namespace {

class ProgramReader {
 public:
  explicit ProgramReader(const Module& module) : context_(module.impl().context), module_(module_op(module)) {
    program_.name = module.name();
    for (mlir::Operation* op : launches(module_)) launches_.try_emplace(op, static_cast<int64_t>(launches_.size()));
  }

  Program read() {
    auto main = module_.lookupSymbol<mlir::func::FuncOp>("main");
    if (!main) fail<CompileError>("cpu", "the module has no function `main`");
    if (auto bytes = module_->getAttrOfType<mlir::IntegerAttr>("tenon.temp_size_bytes"))
      program_.temp_bytes = bytes.getInt();
    mlir::Block& body = main.getBody().front();
    for (mlir::BlockArgument argument : body.getArguments()) {
      places_[argument] = {Place::argument, argument.getArgNumber()};
      program_.arguments.push_back(aval_of(argument.getType()));
    }
    program_.steps = read_block(body);
    for (mlir::Value result : body.getTerminator()->getOperands()) {
      program_.results.push_back(aval_of(result.getType()));
      const Place place = places_.lookup(result);
      if (place.kind != Place::output && place.kind != Place::argument)
        fail<CompileError>("cpu", "result ", program_.results.size() - 1,
                           " of the program has no buffer of its own");
      program_.result_places.push_back(place);
    }
    return std::move(program_);
  }

 private:
  std::vector<Step> read_block(mlir::Block& block) {
    std::vector<Step> outer = std::exchange(steps_, {});
    for (mlir::Operation& op : block.without_terminator()) {
      place_results(op);
      read(op);
    }
    return std::exchange(steps_, std::move(outer));
  }
  // A captured array is read where it is; it belongs to the module's context.
  Constant read_constant(mlir::ElementsAttr value) const {
    Constant constant;
    const std::optional<llvm::ArrayRef<char>> captured = captured_bytes(value);
    if (captured && reinterpret_cast<uintptr_t>(captured->data()) % runtime::kAlignmentBytes == 0) {
      constant.captured = std::shared_ptr<const void>(context_, captured->data());
      return constant;
    }
    const auto fill = [&](const void* bytes, size_t size) {
      constant.copy = runtime::Allocation(static_cast<int64_t>(size));
      if (size > 0) std::memcpy(constant.copy.data(), bytes, size);
    };
    if (captured) {
      fill(captured->data(), captured->size());
    } else {
      const std::vector<std::byte> bytes = constant_bytes(value, false);
      fill(bytes.data(), bytes.size());
    }
    return constant;
  }
  // Gives its number.
  int read_inside(mlir::Region& region) {
    std::vector<Step> steps = read_block(region.front());
    program_.blocks.push_back(std::move(steps));
    return static_cast<int>(program_.blocks.size()) - 1;
  }

  void place_results(mlir::Operation& op) {
    if (op.getNumResults() == 0) return;
    const auto buffers = op.getAttrOfType<mlir::ArrayAttr>("tenon.buffers");
    if (!buffers || buffers.size() != op.getNumResults())
      fail<CompileError>("cpu", op.getName().getStringRef().str(),
                         " has no tenon.buffers for its results; run the pass assign-buffers");
    for (auto [result, attribute] : llvm::zip(op.getResults(), buffers)) {
      const auto buffer = mlir::cast<ir::BufferAttr>(attribute);
      places_[result] = {static_cast<Place::Kind>(buffer.getKind()), buffer.getIndex(),
                         buffer.getOffset()};
    }
  }

  Step step(Step::Kind kind, mlir::Operation& op, std::string name) {
    Step s;
    s.kind = kind;
    s.name = std::move(name);
    s.operand_count = op.getNumOperands();
    if (auto launch = launches_.find(&op); launch != launches_.end()) s.launch = launch->second;
    for (mlir::Value operand : op.getOperands()) {
      s.buffers.push_back(places_.lookup(operand));
      s.bytes += size_bytes(mlir::cast<mlir::RankedTensorType>(operand.getType()));
    }
    for (mlir::Value result : op.getResults()) {
      s.buffers.push_back(places_.lookup(result));
      s.bytes += size_bytes(mlir::cast<mlir::RankedTensorType>(result.getType()));
    }
    return s;
  }

  void read(mlir::Operation& op) {
    llvm::TypeSwitch<mlir::Operation*>(&op)
        .Case([&](ir::FusionOp fusion) {
          if (const auto rows = fusion->getAttrOfType<mlir::IntegerAttr>("tenon.block_rows")) return read_stream(fusion, rows.getInt());
          Step s = step(Step::kernel, op, fusion.getName().str());
          s.graph = static_cast<int>(program_.graphs.size());
          program_.graphs.push_back(read_fusion(fusion.getBody().front(), s.name));
          steps_.push_back(std::move(s));
        })
        .Case([&](stablehlo::DotGeneralOp dot) { read_dot(dot); })
        .Case([&](ir::CopyOp) {
          Step s = step(Step::copy, op, "copy");
          if (strides_of(op.getOperand(0).getType()) != strides_of(op.getResult(0).getType()))
            fail<UnimplementedError>("cpu", "a copy that changes the layout has no code");
          s.copy_bytes = s.bytes / 2;
          steps_.push_back(std::move(s));
        })
        .Case([&](stablehlo::ReduceWindowOp window) {
          Step s = step(Step::scan, op, "scan");
          read_scan(window, program_, s);
          steps_.push_back(std::move(s));
        })
        .Case([&](stablehlo::SortOp sort) {
          Step s = step(Step::sort, op, "sort");
          read_sort(sort, program_, s);
          steps_.push_back(std::move(s));
        })
        .Case([&](stablehlo::CustomCallOp call) { read_host_call(call); })
        .Case([&](stablehlo::FftOp fft) {
          Step s = step(Step::fft, op, "fft");
          read_fft(fft, s);
          steps_.push_back(std::move(s));
        })
        .Case([&](stablehlo::ScatterOp scatter) {
          Step s = step(Step::scatter, op, "scatter");
          read_scatter(scatter, program_, s);
          steps_.push_back(std::move(s));
        })
        .Case([&](stablehlo::ConstantOp constant) {
          const auto number = static_cast<size_t>(places_.lookup(op.getResult(0)).index);
          if (program_.constants.size() <= number) program_.constants.resize(number + 1);
          program_.constants[number] = read_constant(constant.getValue());
        })
        .Case([&](stablehlo::DynamicUpdateSliceOp update) {
          Step s = step(Step::update, op, "dynamic-update-slice");
          const Aval array = aval_of(update.getOperand().getType()), part = aval_of(update.getUpdate().getType());
          s.update_step.itemsize = array.dtype.itemsize();
          s.update_step.shape = array.shape.dims();
          s.update_step.update = part.shape.dims();
          if (array.ndim() > 0) s.update_step.index_type = aval_of(update.getStartIndices()[0].getType()).dtype;
          if (!is_dense(update.getOperand()) || !is_dense(update.getUpdate()) || !is_dense(update.getResult()))
            fail<UnimplementedError>("cpu", "an update in another layout has no code");
          s.bytes = 2 * part.nbytes();
          steps_.push_back(std::move(s));
        })
        .Case([&](stablehlo::WhileOp loop) { read_loop(loop); })
        .Case([&](stablehlo::CaseOp branches) { read_branches(op, branches.getIndex(), false); })
        .Case([&](stablehlo::IfOp branches) { read_branches(op, branches.getPred(), true); })
        .Case([&](stablehlo::ReshapeOp) {})  // the same bytes
        .Default([&](mlir::Operation* other) {
          fail<UnimplementedError>("cpu", "no code for ", other->getName().getStringRef().str(),
                                   " between kernels");
        });
  }

  static bool is_dense(mlir::Value value) {
    const auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    return strides_of(type) == dense_strides(Dims(type.getShape().begin(), type.getShape().end()));
  }

  void read_host_call(stablehlo::CustomCallOp call) {
    if (!is_host_call(call)) fail<UnimplementedError>("cpu", "no code for a custom call of ", call.getCallTargetName().str());
    Step s = step(Step::host, *call.getOperation(), "host call");
    for (mlir::ValueRange values : {mlir::ValueRange(call->getOperands()), mlir::ValueRange(call->getResults())})
      if (!llvm::all_of(values, is_dense)) fail<UnimplementedError>("cpu", "a call of the host in another layout has no code");
    s.host_step.callee = host_callee_of(call);
    program_.has_effects |= call.getHasSideEffect();
    steps_.push_back(std::move(s));
  }

  void read_loop(stablehlo::WhileOp loop) {
    Step s = step(Step::loop, *loop.getOperation(), "while");
    for (mlir::Region* region : {&loop.getCond(), &loop.getBody()}) {
      for (mlir::BlockArgument argument : region->front().getArguments())
        places_[argument] = places_.lookup(loop->getResult(argument.getArgNumber()));
    }
    for (auto [operand, result] : llvm::zip(loop->getOperands(), loop->getResults()))
      s.loop_step.carried.push_back({places_.lookup(operand), places_.lookup(result), size_bytes(mlir::cast<mlir::RankedTensorType>(result.getType()))});
    s.loop_step.condition = read_inside(loop.getCond());
    s.loop_step.decision = places_.lookup(loop.getCond().front().getTerminator()->getOperand(0));
    s.loop_step.body = read_inside(loop.getBody());
    steps_.push_back(std::move(s));
  }

  void read_branches(mlir::Operation& op, mlir::Value index, bool is_predicate) {
    Step s = step(Step::branch, op, "conditional");
    s.buffers = {places_.lookup(index)};
    s.branch_step.is_predicate = is_predicate;
    for (mlir::Region& region : op.getRegions()) s.branch_step.blocks.push_back(read_inside(region));
    steps_.push_back(std::move(s));
  }

  // What its operations hand on lives in the block's memory; the last one writes the result.
  void read_stream(ir::FusionOp fusion, int64_t block_rows) {
    Step s = step(Step::stream, *fusion.getOperation(), fusion.getName().str());
    mlir::Block& body = fusion.getBody().front();
    for (auto [argument, operand] : llvm::zip(body.getArguments(), fusion.getInputs())) places_[argument] = places_.lookup(operand);
    StreamStep& stream = s.stream_step;
    stream.block_rows = block_rows;
    for (auto dot : body.getOps<stablehlo::DotGeneralOp>()) {
      const GemmStep g = read_gemm(dot);
      if (stream.rows == 0 || g.batches > 1) stream.batches = g.batches, stream.rows = g.m;
    }
    const int64_t rows = stream.batches * stream.rows;
    if (rows == 0) fail<CompileError>("cpu", s.name, " has tenon.block_rows, but no product whose rows they are");
    std::vector<Step> outer = std::exchange(steps_, {});
    const size_t first_graph = program_.graphs.size();
    mlir::Value result = body.getTerminator()->getOperand(0);
    while (auto reshape = result.getDefiningOp<stablehlo::ReshapeOp>()) result = reshape.getOperand();
    for (mlir::Operation& op : body.without_terminator()) {
      for (mlir::Value value : op.getResults()) {
        if (mlir::isa<stablehlo::ReshapeOp>(op)) {
          places_[value] = places_.lookup(op.getOperand(0));
        } else if (value == result) {
          places_[value] = places_.lookup(fusion.getResult(0));
        } else {
          const int64_t row_bytes = size_bytes(mlir::cast<mlir::RankedTensorType>(value.getType())) / rows;
          places_[value] = {Place::block, 0, stream.block_bytes, row_bytes};
          stream.block_bytes += aligned(row_bytes * block_rows);
        }
      }
      read(op);
    }
    for (size_t graph = first_graph; graph < program_.graphs.size(); ++graph) program_.graphs[graph].rows = rows;
    program_.blocks.push_back(std::exchange(steps_, std::move(outer)));
    stream.body = static_cast<int>(program_.blocks.size()) - 1;
    steps_.push_back(std::move(s));
  }

  void read_dot(stablehlo::DotGeneralOp dot) {
    Step s = step(Step::gemm, *dot.getOperation(), "dot");
    s.gemm_step = read_gemm(dot);
    steps_.push_back(std::move(s));
  }

  std::shared_ptr<mlir::MLIRContext> context_;
  mlir::ModuleOp module_;
  Program program_;
  std::vector<Step> steps_;  // of the block that is being read
  llvm::DenseMap<mlir::Value, Place> places_;
  llvm::DenseMap<mlir::Operation*, int64_t> launches_;
};

}  // namespace

Program read_program(const Module& module) { return ProgramReader(module).read(); }

}  // namespace tenon::cpu
