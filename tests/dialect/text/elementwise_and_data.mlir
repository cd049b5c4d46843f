module {
  func.func @elementwise(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<2x3xi32>, %arg3: tensor<2x3xi32>, %arg4: tensor<2x3xi1>, %arg5: tensor<2x3xcomplex<f32>>, %arg6: tensor<i1>, %arg7: tensor<f32>) {
    %0 = stablehlo.abs %arg0 : tensor<2x3xf32>
    %1 = stablehlo.abs %arg5 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %2 = stablehlo.add %arg0, %arg1 {foo = 1 : i32} : tensor<2x3xf32>
    %3 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : tensor<2x3xf32>
    %4 = stablehlo.exponential %arg0 {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : tensor<2x3xf32>
    %5 = stablehlo.exponential %arg0 {foo = 2 : i32} : tensor<2x3xf32>
    %6 = stablehlo.log %arg0 {foo = 2 : i32} : tensor<2x3xf32>
    %7 = stablehlo.compare LT, %arg0, %arg1 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %8 = stablehlo.compare LT, %arg0, %arg1, TOTALORDER {foo = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
    %9 = stablehlo.select %arg4, %arg0, %arg1 : tensor<2x3xi1>, tensor<2x3xf32>
    %10 = stablehlo.select %arg6, %arg0, %arg1 : tensor<i1>, tensor<2x3xf32>
    %11 = stablehlo.clamp %arg7, %arg0, %arg7 : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
    %12 = stablehlo.clamp %arg0, %arg0, %arg1 : tensor<2x3xf32>
    %13 = stablehlo.convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %14 = stablehlo.convert %arg0 : tensor<2x3xf32>
    %15 = stablehlo.complex %arg0, %arg1 : tensor<2x3xcomplex<f32>>
    %16 = stablehlo.real %arg5 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %17 = stablehlo.imag %arg5 : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
    %18 = stablehlo.real %arg0 : tensor<2x3xf32>
    %19 = stablehlo.is_finite %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi1>
    %20 = stablehlo.reduce_precision %arg0, format = e5m10 : tensor<2x3xf32>
    %21 = stablehlo.bitcast_convert %arg0 : (tensor<2x3xf32>) -> tensor<2x3xi32>
    %22 = stablehlo.power %arg0, %arg1 : tensor<2x3xf32>
    %23 = stablehlo.not %arg4 : tensor<2x3xi1>
    %24 = stablehlo.round_nearest_afz %arg0 : tensor<2x3xf32>
    %25 = "stablehlo.map"(%arg0, %arg1) <{dimensions = array<i64: 0, 1>}> ({
    ^bb0(%arg8: tensor<f32>, %arg9: tensor<f32>):
      %29 = stablehlo.add %arg8, %arg9 : tensor<f32>
      stablehlo.return %29 : tensor<f32>
    }) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
    %26 = stablehlo.atan2 %arg0, %arg1 : tensor<2x3xf32>
    %27:2 = stablehlo.optimization_barrier %arg0, %arg2 : tensor<2x3xf32>, tensor<2x3xi32>
    %28 = stablehlo.optimization_barrier %arg0 : tensor<2x3xf32>
    stablehlo.optimization_barrier()
    return
  }
  func.func @movement(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xf32>, %arg2: tensor<f32>, %arg3: tensor<i32>, %arg4: tensor<2xi32>, %arg5: tensor<5xcomplex<f32>>, %arg6: !stablehlo.token) {
    %0 = stablehlo.broadcast_in_dim %arg0, dims = [0, 2] : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
    %1 = stablehlo.broadcast %arg0, sizes = [4, 5] : (tensor<2x3xf32>) -> tensor<4x5x2x3xf32>
    %2 = stablehlo.reshape %arg0 : (tensor<2x3xf32>) -> tensor<6xf32>
    %3 = stablehlo.transpose %arg0, dims = [1, 0] : (tensor<2x3xf32>) -> tensor<3x2xf32>
    %4 = stablehlo.slice %arg0 [0:2, 1:3:2] : (tensor<2x3xf32>) -> tensor<2x1xf32>
    %5 = stablehlo.slice %arg2 [] {foo = 1 : i32} : (tensor<f32>) -> tensor<f32>
    %6 = stablehlo.concatenate %arg0, %arg1, dim = 0 : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
    %7 = "stablehlo.gather"(%arg0, %arg4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, indices_are_sorted = true, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    %8 = "stablehlo.gather"(%arg0, %arg4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    %9 = stablehlo.iota dim = 1 : tensor<2x3xf32>
    %10 = stablehlo.pad %arg0, %arg2, low = [0, 1], high = [2, -1], interior = [1, 0] : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
    %11 = stablehlo.reverse %arg0, dims = [0] : tensor<2x3xf32>
    %12 = stablehlo.dynamic_slice %arg0, %arg3, %arg3, sizes = [1, 2] : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
    %13 = stablehlo.dynamic_update_slice %arg0, %12, %arg3, %arg3 : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
    %14 = stablehlo.dynamic_broadcast_in_dim %arg0, %arg4, dims = [0, 1] {known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    %15 = stablehlo.dynamic_iota %arg4, dim = 0 : (tensor<2xi32>) -> tensor<?x?xf32>
    %16 = stablehlo.dynamic_reshape %arg0, %arg4 : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
    %17 = stablehlo.dynamic_pad %arg0, %arg2, %arg4, %arg4, %arg4 : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %18 = stablehlo.real_dynamic_slice %arg0, %arg4, %arg4, %arg4 : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
    %19 = "stablehlo.dynamic_gather"(%arg0, %arg4, %arg4) <{dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>}> : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xf32>
    %20 = stablehlo.get_dimension_size %arg0, dim = 1 : (tensor<2x3xf32>) -> tensor<i32>
    %21 = stablehlo.set_dimension_size %arg0, %arg3, dim = 1 : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
    %22 = "stablehlo.torch_index_select"(%arg0, %arg4) <{batch_dims = 0 : i64, dim = 0 : i64}> : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
    %cst = stablehlo.constant dense<1.000000e+00> : tensor<2xf32>
    %23 = stablehlo.fft %arg5, type = FFT, length = [5] : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
    %cst_0 = stablehlo.constant {foo = 1 : i32} dense<1.000000e+00> : tensor<2xf32>
    return
  }
  func.func @linalg(%arg0: tensor<2x4x3xf32>, %arg1: tensor<2x3x5xf32>, %arg2: tensor<4x3xf32>, %arg3: tensor<3x5xf32>, %arg4: tensor<3x3xf32>, %arg5: tensor<1x8x8x2xf32>, %arg6: tensor<3x3x2x4xf32>, %arg7: tensor<2x2xi32>) {
    %0 = stablehlo.dot_general %arg0, %arg1, batching_dims = [0] x [0], contracting_dims = [2] x [1], precision = [DEFAULT, HIGHEST] : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
    %1 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %2 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [] x [], precision = [] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x3x3x5xf32>
    %3 = stablehlo.dot_general %arg2, %arg3, contracting_dims = [1] x [0], algorithm = <lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false> {foo = 1 : i32} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %4 = stablehlo.dot %arg2, %arg3, precision = [DEFAULT, HIGHEST] : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %5 = stablehlo.dot %arg2, %arg3 : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %6 = stablehlo.cholesky %arg4, lower = true : tensor<3x3xf32>
    %7 = stablehlo.cholesky %arg4 : tensor<3x3xf32>
    %8 = "stablehlo.triangular_solve"(%arg4, %arg4) <{left_side = true, lower = true, transpose_a = #stablehlo<transpose ADJOINT>, unit_diagonal = false}> : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
    %9 = stablehlo.convolution(%arg5, %arg6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {stride = [1, 1], pad = [[1, 1], [1, 1]], lhs_dilate = [1, 1], rhs_dilate = [1, 1], reverse = [false, true]} {batch_group_count = 1 : i64, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x8x8x4xf32>
    %10 = stablehlo.convolution(%arg5, %arg6) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f], window = {} {batch_group_count = 1 : i64, feature_group_count = 1 : i64} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>
    %11 = "stablehlo.dynamic_conv"(%arg5, %arg6, %arg7) <{batch_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, feature_group_count = 1 : i64, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>], window_strides = array<i64: 1, 1>}> : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>
    %12 = stablehlo.einsum %arg2, %arg3, config = "ij,jk->ik" : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
    %13 = stablehlo.unary_einsum %arg2, config = "ij->i" : (tensor<4x3xf32>) -> tensor<4xf32>
    return
  }
}
