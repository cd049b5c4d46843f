func.func @elementwise(%f: tensor<2x3xf32>, %g: tensor<2x3xf32>, %i: tensor<2x3xi32>, %j: tensor<2x3xi32>, %p: tensor<2x3xi1>, %c: tensor<2x3xcomplex<f32>>, %sp: tensor<i1>, %sf: tensor<f32>) {
  %0 = "stablehlo.abs"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.abs"(%c) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %2 = "stablehlo.add"(%f, %g) {foo = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "stablehlo.exponential"(%f) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<HIGHEST>>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %b3 = "stablehlo.exponential"(%f) {result_accuracy = #stablehlo.result_accuracy<atol = 1.000000e-05, rtol = 0.000000e+00, ulps = 1, mode = #stablehlo.result_accuracy_mode<TOLERANCE>>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %c3 = "stablehlo.exponential"(%f) {result_accuracy = #stablehlo.result_accuracy<mode = #stablehlo.result_accuracy_mode<DEFAULT>>, foo = 2 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %d3 = "stablehlo.log"(%f) {foo = 2 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "stablehlo.compare"(%f, %g) {comparison_direction = #stablehlo<comparison_direction LT>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %5 = "stablehlo.compare"(%f, %g) {comparison_direction = #stablehlo<comparison_direction LT>, compare_type = #stablehlo<comparison_type TOTALORDER>, foo = 1 : i32} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xi1>
  %6 = "stablehlo.select"(%p, %f, %g) : (tensor<2x3xi1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = "stablehlo.select"(%sp, %f, %g) : (tensor<i1>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = "stablehlo.clamp"(%sf, %f, %sf) : (tensor<f32>, tensor<2x3xf32>, tensor<f32>) -> tensor<2x3xf32>
  %9 = "stablehlo.clamp"(%f, %f, %g) : (tensor<2x3xf32>, tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "stablehlo.convert"(%f) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %11 = "stablehlo.convert"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = "stablehlo.complex"(%f, %g) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xcomplex<f32>>
  %13 = "stablehlo.real"(%c) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %14 = "stablehlo.imag"(%c) : (tensor<2x3xcomplex<f32>>) -> tensor<2x3xf32>
  %b14 = "stablehlo.real"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = "stablehlo.is_finite"(%f) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %16 = "stablehlo.reduce_precision"(%f) {exponent_bits = 5 : i32, mantissa_bits = 10 : i32} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %17 = "stablehlo.bitcast_convert"(%f) : (tensor<2x3xf32>) -> tensor<2x3xi32>
  %18 = "stablehlo.power"(%f, %g) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %19 = "stablehlo.not"(%p) : (tensor<2x3xi1>) -> tensor<2x3xi1>
  %20 = "stablehlo.round_nearest_afz"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %21 = "stablehlo.map"(%f, %g) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32> 
     stablehlo.return %z : tensor<f32> }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %22 = "stablehlo.atan2"(%f, %g) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %23:2 = "stablehlo.optimization_barrier"(%f, %i) : (tensor<2x3xf32>, tensor<2x3xi32>) -> (tensor<2x3xf32>, tensor<2x3xi32>)
  %24 = "stablehlo.optimization_barrier"(%f) : (tensor<2x3xf32>) -> (tensor<2x3xf32>)
  "stablehlo.optimization_barrier"() : () -> ()
  return
}
func.func @movement(%f: tensor<2x3xf32>, %g: tensor<2x3xf32>, %s: tensor<f32>, %k: tensor<i32>, %si: tensor<2xi32>, %c: tensor<5xcomplex<f32>>, %tok: !stablehlo.token) {
  %0 = "stablehlo.broadcast_in_dim"(%f) {broadcast_dimensions = array<i64: 0, 2>} : (tensor<2x3xf32>) -> tensor<2x5x3xf32>
  %1 = "stablehlo.broadcast"(%f) {broadcast_sizes = array<i64: 4, 5>} : (tensor<2x3xf32>) -> tensor<4x5x2x3xf32>
  %2 = "stablehlo.reshape"(%f) : (tensor<2x3xf32>) -> tensor<6xf32>
  %3 = "stablehlo.transpose"(%f) {permutation = array<i64: 1, 0>} : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %4 = "stablehlo.slice"(%f) {start_indices = array<i64: 0, 1>, limit_indices = array<i64: 2, 3>, strides = array<i64: 1, 2>} : (tensor<2x3xf32>) -> tensor<2x1xf32>
  %b4 = "stablehlo.slice"(%s) {start_indices = array<i64>, limit_indices = array<i64>, strides = array<i64>, foo = 1 : i32} : (tensor<f32>) -> tensor<f32>
  %5 = "stablehlo.concatenate"(%f, %g) {dimension = 0 : i64} : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<4x3xf32>
  %6 = "stablehlo.gather"(%f, %si) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>, indices_are_sorted = true} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %b6 = "stablehlo.gather"(%f, %si) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>, slice_sizes = array<i64: 1, 3>} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %7 = "stablehlo.iota"() {iota_dimension = 1 : i64} : () -> tensor<2x3xf32>
  %8 = "stablehlo.pad"(%f, %s) {edge_padding_low = array<i64: 0, 1>, edge_padding_high = array<i64: 2, -1>, interior_padding = array<i64: 1, 0>} : (tensor<2x3xf32>, tensor<f32>) -> tensor<5x3xf32>
  %9 = "stablehlo.reverse"(%f) {dimensions = array<i64: 0>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "stablehlo.dynamic_slice"(%f, %k, %k) {slice_sizes = array<i64: 1, 2>} : (tensor<2x3xf32>, tensor<i32>, tensor<i32>) -> tensor<1x2xf32>
  %11 = "stablehlo.dynamic_update_slice"(%f, %10, %k, %k) : (tensor<2x3xf32>, tensor<1x2xf32>, tensor<i32>, tensor<i32>) -> tensor<2x3xf32>
  %12 = "stablehlo.dynamic_broadcast_in_dim"(%f, %si) {broadcast_dimensions = array<i64: 0, 1>, known_expanding_dimensions = array<i64: 1>, known_nonexpanding_dimensions = array<i64: 0>} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %13 = "stablehlo.dynamic_iota"(%si) {iota_dimension = 0 : i64} : (tensor<2xi32>) -> tensor<?x?xf32>
  %14 = "stablehlo.dynamic_reshape"(%f, %si) : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<?x?xf32>
  %15 = "stablehlo.dynamic_pad"(%f, %s, %si, %si, %si) : (tensor<2x3xf32>, tensor<f32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %16 = "stablehlo.real_dynamic_slice"(%f, %si, %si, %si) : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>, tensor<2xi32>) -> tensor<?x?xf32>
  %17 = "stablehlo.dynamic_gather"(%f, %si, %si) {dimension_numbers = #stablehlo.gather<offset_dims = [1], collapsed_slice_dims = [0], start_index_map = [0], index_vector_dim = 1>} : (tensor<2x3xf32>, tensor<2xi32>, tensor<2xi32>) -> tensor<2x?xf32>
  %18 = "stablehlo.get_dimension_size"(%f) {dimension = 1 : i64} : (tensor<2x3xf32>) -> tensor<i32>
  %19 = "stablehlo.set_dimension_size"(%f, %k) {dimension = 1 : i64} : (tensor<2x3xf32>, tensor<i32>) -> tensor<2x?xf32, #stablehlo.bounds<?, 3>>
  %20 = "stablehlo.torch_index_select"(%f, %si) {dim = 0 : i64, batch_dims = 0 : i64} : (tensor<2x3xf32>, tensor<2xi32>) -> tensor<2x3xf32>
  %21 = "stablehlo.constant"() {value = dense<1.0> : tensor<2xf32>} : () -> tensor<2xf32>
  %22 = "stablehlo.fft"(%c) {fft_type = #stablehlo<fft_type FFT>, fft_length = array<i64: 5>} : (tensor<5xcomplex<f32>>) -> tensor<5xcomplex<f32>>
  %23 = "stablehlo.constant"() {value = dense<1.0> : tensor<2xf32>, foo = 1 : i32} : () -> tensor<2xf32>
  return
}
func.func @linalg(%a: tensor<2x4x3xf32>, %b: tensor<2x3x5xf32>, %m: tensor<4x3xf32>, %n: tensor<3x5xf32>, %q: tensor<3x3xf32>, %img: tensor<1x8x8x2xf32>, %ker: tensor<3x3x2x4xf32>, %pd: tensor<2x2xi32>) {
  %0 = "stablehlo.dot_general"(%a, %b) {dot_dimension_numbers = #stablehlo.dot<lhs_batching_dimensions = [0], rhs_batching_dimensions = [0], lhs_contracting_dimensions = [2], rhs_contracting_dimensions = [1]>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<2x4x3xf32>, tensor<2x3x5xf32>) -> tensor<2x4x5xf32>
  %1 = "stablehlo.dot_general"(%m, %n) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %b1 = "stablehlo.dot_general"(%m, %n) {dot_dimension_numbers = #stablehlo.dot<>, precision_config = []} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x3x3x5xf32>
  %2 = "stablehlo.dot_general"(%m, %n) {dot_dimension_numbers = #stablehlo.dot<lhs_contracting_dimensions = [1], rhs_contracting_dimensions = [0]>, algorithm = #stablehlo.dot_algorithm<lhs_precision_type = tf32, rhs_precision_type = tf32, accumulation_type = f32, lhs_component_count = 1, rhs_component_count = 1, num_primitive_operations = 1, allow_imprecise_accumulation = false>, foo = 1 : i32} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %3 = "stablehlo.dot"(%m, %n) {precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %b3 = "stablehlo.dot"(%m, %n) : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %4 = "stablehlo.cholesky"(%q) {lower = true} : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %b4 = "stablehlo.cholesky"(%q) : (tensor<3x3xf32>) -> tensor<3x3xf32>
  %5 = "stablehlo.triangular_solve"(%q, %q) {left_side = true, lower = true, unit_diagonal = false, transpose_a = #stablehlo<transpose ADJOINT>} : (tensor<3x3xf32>, tensor<3x3xf32>) -> tensor<3x3xf32>
  %6 = "stablehlo.convolution"(%img, %ker) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, padding = dense<1> : tensor<2x2xi64>, lhs_dilation = array<i64: 1, 1>, rhs_dilation = array<i64: 1, 1>, window_reversal = array<i1: false, true>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x8x8x4xf32>
  %b6 = "stablehlo.convolution"(%img, %ker) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>) -> tensor<1x6x6x4xf32>
  %7 = "stablehlo.dynamic_conv"(%img, %ker, %pd) {batch_group_count = 1 : i64, feature_group_count = 1 : i64, dimension_numbers = #stablehlo.conv<[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]>, window_strides = array<i64: 1, 1>, precision_config = [#stablehlo<precision DEFAULT>, #stablehlo<precision HIGHEST>]} : (tensor<1x8x8x2xf32>, tensor<3x3x2x4xf32>, tensor<2x2xi32>) -> tensor<1x?x?x4xf32>
  %8 = "stablehlo.einsum"(%m, %n) {einsum_config = "ij,jk->ik"} : (tensor<4x3xf32>, tensor<3x5xf32>) -> tensor<4x5xf32>
  %9 = "stablehlo.unary_einsum"(%m) {einsum_config = "ij->i"} : (tensor<4x3xf32>) -> tensor<4xf32>
  return
}
