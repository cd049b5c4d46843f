module {
  func.func @control(%arg0: tensor<2x3xf32>, %arg1: tensor<f32>, %arg2: tensor<i32>, %arg3: tensor<i1>, %arg4: !stablehlo.token, %arg5: tensor<2x3xi32>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<f32>
    %1:2 = stablehlo.reduce(%arg0 init: %arg1), (%arg5 init: %arg2) across dimensions = [0] {foo = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xi32>, tensor<f32>, tensor<i32>) -> (tensor<3xf32>, tensor<3xi32>)
     reducer(%arg6: tensor<f32>, %arg8: tensor<f32>) (%arg7: tensor<i32>, %arg9: tensor<i32>)  {
      %28 = stablehlo.add %arg6, %arg8 : tensor<f32>
      stablehlo.return %28, %arg7 : tensor<f32>, tensor<i32>
    }
    %2 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%arg6: tensor<f32>, %arg7: tensor<f32>)  {
      %28 = stablehlo.subtract %arg6, %arg7 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }
    %3 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [1] {foo = 1 : i32} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
     reducer(%arg6: tensor<f32>, %arg7: tensor<f32>)  {
      %28 = stablehlo.add %arg7, %arg6 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }
    %4 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [1] {foo = 1 : i32} : (tensor<2x3xf32>, tensor<f32>) -> tensor<2xf32>
    %5:2 = stablehlo.while(%iterArg = %arg0, %iterArg_3 = %arg2) : tensor<2x3xf32>, tensor<i32> attributes {foo = 1 : i32}
    cond {
      stablehlo.return %arg3 : tensor<i1>
    } do {
      stablehlo.return %iterArg, %iterArg_3 : tensor<2x3xf32>, tensor<i32>
    }
    stablehlo.while()
    cond {
      stablehlo.return %arg3 : tensor<i1>
    } do {
      stablehlo.return 
    }
    %6 = "stablehlo.if"(%arg3) ({
      stablehlo.return %arg0 : tensor<2x3xf32>
    }, {
      stablehlo.return %arg0 : tensor<2x3xf32>
    }) : (tensor<i1>) -> tensor<2x3xf32>
    %7 = "stablehlo.case"(%arg2) ({
      stablehlo.return %arg0 : tensor<2x3xf32>
    }, {
      stablehlo.return %arg0 : tensor<2x3xf32>
    }) : (tensor<i32>) -> tensor<2x3xf32>
    %8:2 = "stablehlo.sort"(%arg0, %arg5) <{dimension = 1 : i64, is_stable = true}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>, %arg8: tensor<i32>, %arg9: tensor<i32>):
      %28 = stablehlo.compare LT, %arg6, %arg7, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %28 : tensor<i1>
    }) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
    %9 = "stablehlo.sort"(%arg0) ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %28 = stablehlo.compare LT, %arg6, %arg7, TOTALORDER : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %28 : tensor<i1>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %10 = "stablehlo.reduce_window"(%arg0, %arg1) <{padding = dense<0> : tensor<2x2xi64>, window_dimensions = array<i64: 2, 2>, window_strides = array<i64: 1, 1>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %28 = stablehlo.add %arg6, %arg7 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<f32>) -> tensor<1x2xf32>
    %11 = "stablehlo.select_and_scatter"(%arg0, %10, %arg1) <{window_dimensions = array<i64: 2, 2>}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %28 = stablehlo.compare GE, %arg6, %arg7 : (tensor<f32>, tensor<f32>) -> tensor<i1>
      stablehlo.return %28 : tensor<i1>
    }, {
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      %28 = stablehlo.add %arg6, %arg7 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<f32>) -> tensor<2x3xf32>
    %c = stablehlo.constant dense<0> : tensor<2x1xi32>
    %12 = "stablehlo.scatter"(%arg0, %c, %arg0) <{indices_are_sorted = true, scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = [1], inserted_window_dims = [0], scatter_dims_to_operand_dims = [0], index_vector_dim = 1>, unique_indices = true}> ({
    ^bb0(%arg6: tensor<f32>, %arg7: tensor<f32>):
      stablehlo.return %arg7 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x1xi32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %13 = stablehlo.after_all %arg4, %arg4 : !stablehlo.token
    %14 = stablehlo.after_all  : !stablehlo.token
    %15 = stablehlo.create_token : !stablehlo.token
    %16:2 = "stablehlo.infeed"(%arg4) <{infeed_config = "cfg", layout = [[0, 1]]}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
    %17 = "stablehlo.outfeed"(%arg0, %arg4) <{outfeed_config = "cfg"}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
    %18 = "stablehlo.send"(%arg0, %arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 2>, is_host_transfer = true, source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x3xf32>, !stablehlo.token) -> !stablehlo.token
    %19:2 = "stablehlo.recv"(%arg4) <{channel_handle = #stablehlo.channel_handle<handle = 1, type = 3>, is_host_transfer = true}> : (!stablehlo.token) -> (tensor<2x3xf32>, !stablehlo.token)
    %20 = stablehlo.tuple %arg0, %arg2 : tuple<tensor<2x3xf32>, tensor<i32>>
    %21 = stablehlo.get_tuple_element %20[1] : (tuple<tensor<2x3xf32>, tensor<i32>>) -> tensor<i32>
    %22 = stablehlo.custom_call @foo(%arg0, %arg2) {api_version = 4 : i32, backend_config = {a = 1 : i32}, called_computations = [@foo], has_side_effect = true, operand_layouts = [dense<[1, 0]> : tensor<2xindex>, dense<> : tensor<0xindex>], output_operand_aliases = [#stablehlo.output_operand_alias<output_tuple_indices = [], operand_index = 0, operand_tuple_indices = []>], result_layouts = [dense<[1, 0]> : tensor<2xindex>]} : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x3xf32>
    %23:2 = stablehlo.custom_call @foo(%arg0, %arg2) {backend_config = "x"} : (tensor<2x3xf32>, tensor<i32>) -> (tensor<2x3xf32>, tensor<2x3xf32>)
    stablehlo.custom_call @"foo bar"() {api_version = 2 : i32} : () -> ()
    %24 = stablehlo.composite "my.op" %arg0 {composite_attributes = {a = 1 : i32}, decomposition = @foo, version = 1 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %25 = stablehlo.composite "my.op" %arg0 {decomposition = @foo} : (tensor<2x3xf32>) -> tensor<2x3xf32>
    %c_0 = stablehlo.constant dense<[2, 3]> : tensor<2xi64>
    %26 = stablehlo.rng %arg1, %arg1, %c_0, distribution = UNIFORM : (tensor<f32>, tensor<f32>, tensor<2xi64>) -> tensor<2x3xf32>
    %c_1 = stablehlo.constant dense<[2, 3]> : tensor<2xui64>
    %output_state, %output = stablehlo.rng_bit_generator %c_1, algorithm = PHILOX : (tensor<2xui64>) -> (tensor<2xui64>, tensor<5xui32>)
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<3xf32>
    %27 = "stablehlo.batch_norm_inference"(%arg0, %cst, %cst, %cst, %cst) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %output_2, %batch_mean, %batch_var = "stablehlo.batch_norm_training"(%arg0, %cst, %cst) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    %grad_operand, %grad_scale, %grad_offset = "stablehlo.batch_norm_grad"(%arg0, %cst, %cst, %cst, %arg0) <{epsilon = 1.000000e-03 : f32, feature_index = 1 : i64}> : (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<3xf32>, tensor<2x3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>, tensor<3xf32>)
    return
  }
  func.func @foo(%arg0: tensor<2x3xf32>) -> tensor<2x3xf32> {
    return %arg0 : tensor<2x3xf32>
  }
  func.func @collective(%arg0: tensor<2x4xf32>, %arg1: tensor<2x?xf32, #stablehlo.bounds<?, 5>>) {
    %0 = stablehlo.replica_id : tensor<ui32>
    %1 = stablehlo.partition_id : tensor<ui32>
    %2 = "stablehlo.all_gather"(%arg0) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<4x4xf32>
    %3 = "stablehlo.all_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %13 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = "stablehlo.all_to_all"(%arg0) <{concat_dimension = 0 : i64, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, split_count = 2 : i64, split_dimension = 1 : i64}> : (tensor<2x4xf32>) -> tensor<4x2xf32>
    %5 = "stablehlo.collective_permute"(%arg0) <{source_target_pairs = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %6 = "stablehlo.collective_broadcast"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = "stablehlo.reduce_scatter"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, scatter_dimension = 1 : i64}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %13 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %13 : tensor<f32>
    }) : (tensor<2x4xf32>) -> tensor<2x2xf32>
    %8 = "stablehlo.cross-replica-sum"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %9 = stablehlo.add %arg1, %arg1 : tensor<2x?xf32, #stablehlo.bounds<?, 5>>
    %10 = stablehlo.add %arg1, %arg0 : (tensor<2x?xf32, #stablehlo.bounds<?, 5>>, tensor<2x4xf32>) -> tensor<2x?xf32>
    %11 = "stablehlo.async_start"(%arg0) ({
    ^bb0(%arg2: tensor<2x4xf32>):
      %13 = "stablehlo.all_gather"(%arg2) <{all_gather_dim = 0 : i64, channel_handle = #stablehlo.channel_handle<handle = 1, type = 0>, replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>, use_global_device_ids}> : (tensor<2x4xf32>) -> tensor<4x4xf32>
      stablehlo.return %13 : tensor<4x4xf32>
    }) : (tensor<2x4xf32>) -> !stablehlo.future<tensor<4x4xf32>>
    %12 = "stablehlo.async_done"(%11) : (!stablehlo.future<tensor<4x4xf32>>) -> tensor<4x4xf32>
    return
  }
  func.func @chlo(%arg0: tensor<2x4xf32>, %arg1: tensor<4x5xf32>, %arg2: tensor<2xi32>, %arg3: tensor<3x4x5xf32>, %arg4: tensor<3xi32>, %arg5: tensor<2x4xi1>) {
    %0 = chlo.acos %arg0 {foo = 1 : i32} : tensor<2x4xf32> -> tensor<2x4xf32>
    %1 = chlo.next_after %arg0, %arg0 {foo = 1 : i32} : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
    %values, %indices = chlo.top_k(%arg0, k = 2) {foo = 1 : i32} : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %values_0, %indices_1 = chlo.top_k(%arg0, k = 2) : tensor<2x4xf32> -> (tensor<2x2xf32>, tensor<2x2xi32>)
    %2 = chlo.broadcast_add %arg0, %arg0 {broadcast_dimensions = array<i64: 0, 1>} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %3 = chlo.broadcast_add %arg0, %arg0 : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %4 = chlo.broadcast_compare %arg0, %arg0 {comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    %5 = chlo.broadcast_compare %arg0, %arg0 {broadcast_dimensions = array<i64: 0, 1>, compare_type = #chlo<comparison_type FLOAT>, comparison_direction = #chlo<comparison_direction LT>} : (tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xi1>
    %6 = chlo.broadcast_select %arg5, %arg0, %arg0 : (tensor<2x4xi1>, tensor<2x4xf32>, tensor<2x4xf32>) -> tensor<2x4xf32>
    %7 = chlo.constant dense<1.000000e+00> : tensor<2xf32>
    %8 = "chlo.constant_like"(%arg0) <{value = 1.000000e+00 : f32}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
    %9 = chlo.is_inf %arg0 : tensor<2x4xf32> -> tensor<2x4xi1>
    %10 = chlo.conj %arg0 : tensor<2x4xf32> -> tensor<2x4xf32>
    %11 = chlo.polygamma %arg0, %arg0 : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
    %12 = "chlo.ragged_dot"(%arg0, %arg3, %arg4) <{precision_config = [#chlo<precision DEFAULT>, #chlo<precision DEFAULT>], ragged_dot_dimension_numbers = #chlo.ragged_dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [1], lhs_ragged_dimensions = [0], rhs_group_dimensions = [0]>}> : (tensor<2x4xf32>, tensor<3x4x5xf32>, tensor<3xi32>) -> tensor<2x5xf32>
    %13 = chlo.zeta %arg0, %arg0 : tensor<2x4xf32>, tensor<2x4xf32> -> tensor<2x4xf32>
    %cst = stablehlo.constant dense<(1.000000e+00,2.000000e+00)> : tensor<2xcomplex<f32>>
    %14 = chlo._asin_acos_kernel %cst : tensor<2xcomplex<f32>> -> tensor<2xcomplex<f32>>
    %15 = chlo.is_pos_inf %arg0 : tensor<2x4xf32> -> tensor<2x4xi1>
    return
  }
}
