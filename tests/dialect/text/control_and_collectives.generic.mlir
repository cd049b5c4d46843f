func.func @control(%f: tensor<2x3xf32>, %s: tensor<f32>, %k: tensor<i32>, %p: tensor<i1>, %tok: !stablehlo.token, %i: tensor<2x3xi32>) {
  %0 = "stablehlo.reduce"(%f, %s) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
  %1:2 = "stablehlo.reduce"(%f, %i, %s, %k) ({ ^bb0(%x: tensor<f32>, %xi: tensor<i32>, %y: tensor<f32>, %yi: tensor<i32>): %z = stablehlo.add %x, %y : tensor<f32> 
     stablehlo.return %z, %xi : tensor<f32>, tensor<i32> }) {dimensions = array<i64: 0>, foo = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
  %2 = "stablehlo.reduce"(%f, %s) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.subtract %x, %y : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {dimensions = array<i64: 1>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %b2 = "stablehlo.reduce"(%f, %s) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %y, %x : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {dimensions = array<i64: 1>, foo = 1 : i32} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %b3 = "stablehlo.reduce"(%f, %s) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {dimensions = array<i64: 1>, foo = 1 : i32} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
  %3:2 = "stablehlo.while"(%f, %k) ({ ^bb0(%x: tensor<2x3xf32>, %y: tensor<i32>): stablehlo.return %p : tensor<i1> }, { ^bb0(%x: tensor<2x3xf32>, %y: tensor<i32>): stablehlo.return %x, %y : tensor<2x3xf32>, tensor<i32> }) {foo = 1 : i32} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<i32>)
  "stablehlo.while"() ({ ^bb0: stablehlo.return %p : tensor<i1> }, { ^bb0: stablehlo.return  }) : () -> ()
  %4 = "stablehlo.if"(%p) ({ stablehlo.return %f : tensor<2x3xf32> }, { stablehlo.return %f : tensor<2x3xf32> }) : (tensor<i1>) -> tensor<2x3xf32>
  %5 = "stablehlo.case"(%k) ({ stablehlo.return %f : tensor<2x3xf32> }, { stablehlo.return %f : tensor<2x3xf32> }) : (tensor<i32>) -> tensor<2x3xf32>
  %6:2 = "stablehlo.sort"(%f, %i) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>, %xi: tensor<i32>, %yi: tensor<i32>): %z = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
     stablehlo.return %z : tensor<i1> }) {dimension = 1 : i64, is_stable = true} : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %b6 = "stablehlo.sort"(%f) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.compare LT, %x, %y, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
     stablehlo.return %z : tensor<i1> }) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  %7 = "stablehlo.reduce_window"(%f, %s) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>, padding = dense<0> : tensor<2x2xi64>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x2xf32>
  %8 = "stablehlo.select_and_scatter"(%f, %7, %s) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.compare GE, %x, %y : (tensor<f32>, tensor<f32>) -> tensor<i1>
     stablehlo.return %z : tensor<i1> }, { ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {window_dimensions = array<i64: 2, 2>} : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<2x3xf32>
  %idx = stablehlo.constant dense<0> : tensor<2x1xi32>
  %9 = "stablehlo.scatter"(%f, %idx, %f) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): stablehlo.return %y : tensor<f32> }) {scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, indices_are_sorted = true, unique_indices = true} : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "stablehlo.after_all"(%tok, %tok) : (!stablehlo.token, !stablehlo.token) -> !stablehlo.token
  %b10 = "stablehlo.after_all"() : () -> !stablehlo.token
  %11 = "stablehlo.create_token"() : () -> !stablehlo.token
  %12:2 = "stablehlo.infeed"(%tok) {infeed_config = "cfg", layout = [[0, 1]]} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %13 = "stablehlo.outfeed"(%f, %tok) {outfeed_config = "cfg"} : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %14 = "stablehlo.send"(%f, %tok) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
  %15:2 = "stablehlo.recv"(%tok) {channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true} : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
  %16 = "stablehlo.tuple"(%f, %k) : (tensor<2x3xf32>, tensor<i32>) -> tuple<tensor<2x3xf32>, tensor<i32>>
  %17 = "stablehlo.get_tuple_element"(%16) {index = 1 : i32} : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tensor<i32>
  %18 = "stablehlo.custom_call"(%f, %k) {call_target_name = "foo", has_side_effect = true, backend_config = {a = 1 : i32}, api_version = 4 : i32, called_computations = [@foo], operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], result_layouts = [dense<[1, 0]> : tensor<2xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>]} : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
  %b18:2 = "stablehlo.custom_call"(%f, %k) {call_target_name = "foo", backend_config = "x"} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
  "stablehlo.custom_call"() {call_target_name = "foo bar", api_version = 2 : i32} : () -> ()
  %19 = "stablehlo.composite"(%f) {name = "my.op", decomposition = @foo, composite_attributes = {a = 1 : i32}, version = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b19 = "stablehlo.composite"(%f) {name = "my.op", decomposition = @foo} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %cst = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
  %20 = "stablehlo.rng"(%s, %s, %cst) {rng_distribution = #stablehlo<rng_distribution UNIFORM>} : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
  %st = stablehlo.constant dense<[2, 3]> : tensor<2xui64>
  %21:2 = "stablehlo.rng_bit_generator"(%st) {rng_algorithm = #stablehlo<rng_algorithm PHILOX>} : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
  %w = stablehlo.constant dense<1.0> : tensor<3xf32>
  %22 = "stablehlo.batch_norm_inference"(%f, %w, %w, %w, %w) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %23:3 = "stablehlo.batch_norm_training"(%f, %w, %w) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  %24:3 = "stablehlo.batch_norm_grad"(%f, %w, %w, %w, %f) {epsilon = 0.001 : f32, feature_index = 1 : i64} : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
  return
}
func.func @foo(%f: tensor<2x3xf32>) -> tensor<2x3xf32> { return %f : tensor<2x3xf32> }
func.func @collective(%f: tensor<2x4xf32>, %w: tensor<2x?xf32, #stablehlo.bounds<?, 5>>) {
  %0 = "stablehlo.replica_id"() : () -> tensor<ui32>
  %1 = "stablehlo.partition_id"() : () -> tensor<ui32>
  %2 = "stablehlo.all_gather"(%f) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x4xf32>) -> tensor<4x4xf32>
  %3 = "stablehlo.all_reduce"(%f) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = "stablehlo.all_to_all"(%f) {split_dimension = 1 : i64, concat_dimension = 0 : i64, split_count = 2 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<4x2xf32>
  %5 = "stablehlo.collective_permute"(%f) {source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %6 = "stablehlo.collective_broadcast"(%f) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %7 = "stablehlo.reduce_scatter"(%f) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {scatter_dimension = 1 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x2xf32>
  %8 = "stablehlo.cross-replica-sum"(%f) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %9 = "stablehlo.add"(%w, %w) : (tensor<2x?xf32, #stablehlo.bounds<?, 5>>, tensor<2x?xf32, #stablehlo.bounds<?, 5>>) -> tensor<2x?xf32, #stablehlo.bounds<?, 5>>
  %a9 = "stablehlo.add"(%w, %f) : (tensor<2x?xf32, #stablehlo.bounds<?, 5>>, tensor<2x4xf32>) -> tensor<2x?xf32>
  %10 = "stablehlo.async_start"(%f) ({ ^bb0(%x: tensor<2x4xf32>):  %q = "stablehlo.all_gather"(%x) {all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, use_global_device_ids} : (tensor<2x4xf32>) -> tensor<4x4xf32>
     stablehlo.return %q : tensor<4x4xf32>  }) : (tensor<2x4xf32>) -> !stablehlo.future<tensor<4x4xf32>>
  %11 = "stablehlo.async_done"(%10) : (!stablehlo.future<tensor<4x4xf32>>) -> tensor<4x4xf32>
  return
}
func.func @chlo(%f: tensor<2x4xf32>, %g: tensor<4x5xf32>, %ii: tensor<2xi32>, %r: tensor<3x4x5xf32>, %gs: tensor<3xi32>, %p: tensor<2x4xi1>) {
  %0 = "chlo.acos"(%f) {foo = 1 : i32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %1 = "chlo.next_after"(%f, %f) {foo = 1 : i32} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %2:2 = "chlo.top_k"(%f) {k = 2 : i64, foo = 1 : i32} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %b2:2 = "chlo.top_k"(%f) {k = 2 : i64, is_stable = true} : (tensor<2x4xf32>) -> (tensor<2x2xf32>, tensor<2x2xi32>)
  %3 = "chlo.broadcast_add"(%f, %f) {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %b3 = "chlo.broadcast_add"(%f, %f) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %4 = "chlo.broadcast_compare"(%f, %f) {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  %b4 = "chlo.broadcast_compare"(%f, %f) {comparison_direction = #chlo<comparison_direction LT>, compare_type = #chlo<comparison_type FLOAT>, broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
  %5 = "chlo.broadcast_select"(%p, %f, %f) : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %6 = "chlo.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %7 = "chlo.constant_like"(%f) {value = 1.0 : f32} : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %8 = "chlo.is_inf"(%f) : (tensor<2x4xf32>) -> tensor<2x4xi1>
  %9 = "chlo.conj"(%f) : (tensor<2x4xf32>) -> tensor<2x4xf32>
  %10 = "chlo.polygamma"(%f, %f) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %11 = "chlo.ragged_dot"(%f, %r, %gs) {ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_batching_dimensions = [], rhs_batching_dimensions = [], lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>, precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>]} : (tensor<2x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<2x5xf32>
  %12 = "chlo.zeta"(%f, %f) : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
  %cc = stablehlo.constant dense<(1.0, 2.0)> : tensor<2xcomplex<f32>>
  %13 = "chlo._asin_acos_kernel"(%cc) : (tensor<2xcomplex<f32>>) -> tensor<2xcomplex<f32>>
  %14 = "chlo.is_pos_inf"(%f) : (tensor<2x4xf32>) -> tensor<2x4xi1>
  return
}
