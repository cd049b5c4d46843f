// All of StableHLO.
include "elementwise_ops.td"
include "data_movement_ops.td"
include "reduction_ops.td"
include "linear_algebra_ops.td"
include "control_flow_ops.td"
include "collective_ops.td"
include "dynamic_ops.td"
