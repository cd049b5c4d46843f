// Communication between replicas and partitions. Their effect is on the others: never removed or merged.
#ifndef TENON_DIALECT_COLLECTIVE_OPS
#define TENON_DIALECT_COLLECTIVE_OPS

include "stablehlo_attrs.td"

class Collective<string mnemonic, list<Trait> traits = []> : Stablehlo_Op<mnemonic, traits>;

def AllGatherOp : Collective<"all_gather"> {
  let arguments = (ins Variadic<AnyHlo>:$operands, I64Attr:$all_gather_dim, ReplicaGroups:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids);
  let results = (outs Variadic<AnyHlo>:$results);
  let hasVerifier = 1;
}
def AllReduceOp : Collective<"all_reduce", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$operands, ReplicaGroups:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<AnyHlo>:$results);
}
def AllToAllOp : Collective<"all_to_all", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$operands, I64Attr:$split_dimension, I64Attr:$concat_dimension,
                       I64Attr:$split_count, ReplicaGroups:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle);
  let results = (outs Variadic<AnyHlo>:$results);
}
def CollectiveBroadcastOp : Collective<"collective_broadcast", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$operands, ReplicaGroups:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$has_dynamic_root);
  let results = (outs Variadic<AnyHlo>:$results);
}
def CollectivePermuteOp : Collective<"collective_permute", [SameTypes]> {
  let arguments = (ins AnyHlo:$operand, PairRows:$source_target_pairs,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle);
  let results = (outs AnyHlo:$result);
}
def CollectiveReduceOp : Collective<"collective_reduce", [InferredTypes]> {
  let arguments = (ins Variadic<AnyHlo>:$operands, ReplicaGroups:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids,
                       UnitAttr:$has_dynamic_root);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs Variadic<AnyHlo>:$results);
}
def CrossReplicaSumOp : Collective<"cross-replica-sum", [SameTypes]> {
  let arguments = (ins AnyHlo:$operand, ReplicaGroups:$replica_groups);
  let results = (outs AnyHlo:$result);
  let hloOpcode = "all-reduce";
}
def PartitionIdOp : Stablehlo_Op<"partition_id", [Pure, OwnTypes]> {
  let results = (outs ScalarUI32Hlo:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}
def ReduceScatterOp : Collective<"reduce_scatter"> {
  let arguments = (ins AnyHlo:$operand, I64Attr:$scatter_dimension, ReplicaGroups:$replica_groups,
                       OptionalAttr<ChannelHandleAttr>:$channel_handle, UnitAttr:$use_global_device_ids);
  let regions = (region SizedRegion<1>:$computation);
  let results = (outs AnyHlo:$result);
  let hasVerifier = 1;
}
def ReplicaIdOp : Stablehlo_Op<"replica_id", [Pure, OwnTypes]> {
  let results = (outs ScalarUI32Hlo:$result);
  let assemblyFormat = "attr-dict `:` type(results)";
}

#endif
