func.func @stablehlo(%f: tensor<2x3xf32>, %i: tensor<2x3xi32>) {
  %0 = "stablehlo.cbrt"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "stablehlo.ceil"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "stablehlo.cosine"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "stablehlo.exponential_minus_one"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "stablehlo.floor"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "stablehlo.log_plus_one"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = "stablehlo.logistic"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = "stablehlo.negate"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = "stablehlo.round_nearest_even"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = "stablehlo.rsqrt"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "stablehlo.sign"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = "stablehlo.sine"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = "stablehlo.sqrt"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = "stablehlo.tan"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = "stablehlo.tanh"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = "stablehlo.count_leading_zeros"(%i) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %16 = "stablehlo.popcnt"(%i) : (tensor<2x3xi32>) -> tensor<2x3xi32>
  %17 = "stablehlo.divide"(%f, %f) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %18 = "stablehlo.maximum"(%f, %f) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %19 = "stablehlo.minimum"(%f, %f) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %20 = "stablehlo.multiply"(%f, %f) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %21 = "stablehlo.remainder"(%f, %f) : (tensor<2x3xf32>, tensor<2x3xf32>) -> tensor<2x3xf32>
  %22 = "stablehlo.and"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %23 = "stablehlo.shift_left"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %24 = "stablehlo.shift_right_arithmetic"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %25 = "stablehlo.shift_right_logical"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %26 = "stablehlo.xor"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %27 = "stablehlo.collective_reduce"(%f) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32>
     stablehlo.return %z : tensor<f32> }) {replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  return
}
func.func @chlo(%f: tensor<2x3xf32>, %i: tensor<2x3xi32>, %s: tensor<3xf32>, %p: tensor<2x3xi1>) {
  %0 = "chlo.acosh"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %1 = "chlo.asin"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = "chlo.asinh"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %3 = "chlo.atan"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %4 = "chlo.atanh"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %5 = "chlo.bessel_i1e"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %6 = "chlo.cosh"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %7 = "chlo.digamma"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %8 = "chlo.erf"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %9 = "chlo.erf_inv"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %10 = "chlo.erfc"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %11 = "chlo.lgamma"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %12 = "chlo.sinh"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %13 = "chlo.square"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %14 = "chlo.tan"(%f) : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %15 = "chlo.is_neg_inf"(%f) : (tensor<2x3xf32>) -> tensor<2x3xi1>
  %16 = "chlo.mulhi"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %17 = "chlo.broadcast_atan2"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %18 = "chlo.broadcast_divide"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %19 = "chlo.broadcast_maximum"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %20 = "chlo.broadcast_minimum"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %21 = "chlo.broadcast_multiply"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %22 = "chlo.broadcast_next_after"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %23 = "chlo.broadcast_polygamma"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %24 = "chlo.broadcast_power"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %25 = "chlo.broadcast_remainder"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %26 = "chlo.broadcast_subtract"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %27 = "chlo.broadcast_zeta"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
  %28 = "chlo.broadcast_and"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %29 = "chlo.broadcast_or"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %30 = "chlo.broadcast_xor"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %31 = "chlo.broadcast_shift_left"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %32 = "chlo.broadcast_shift_right_arithmetic"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %33 = "chlo.broadcast_shift_right_logical"(%i, %i) : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
  %34 = "chlo.broadcast_complex"(%f, %s) : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
  %35:2 = "chlo.scan"(%f, %s) ({ ^bb0(%x: tensor<3xf32>, %c: tensor<3xf32>): %z = stablehlo.add %x, %c : tensor<3xf32>
     stablehlo.return %z, %z : tensor<3xf32>, tensor<3xf32> }) {dimension = 0 : i64, is_reverse = true, operandSegmentSizes = array<i32: 1, 1>, resultSegmentSizes = array<i32: 1, 1>} : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
  return
}
