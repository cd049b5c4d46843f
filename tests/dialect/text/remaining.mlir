module {
  func.func @stablehlo(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>) {
    %0 = stablehlo.cbrt %arg0 : tensor<2x3xf32>
    %1 = stablehlo.ceil %arg0 : tensor<2x3xf32>
    %2 = stablehlo.cosine %arg0 : tensor<2x3xf32>
    %3 = stablehlo.exponential_minus_one %arg0 : tensor<2x3xf32>
    %4 = stablehlo.floor %arg0 : tensor<2x3xf32>
    %5 = stablehlo.log_plus_one %arg0 : tensor<2x3xf32>
    %6 = stablehlo.logistic %arg0 : tensor<2x3xf32>
    %7 = stablehlo.negate %arg0 : tensor<2x3xf32>
    %8 = stablehlo.round_nearest_even %arg0 : tensor<2x3xf32>
    %9 = stablehlo.rsqrt %arg0 : tensor<2x3xf32>
    %10 = stablehlo.sign %arg0 : tensor<2x3xf32>
    %11 = stablehlo.sine %arg0 : tensor<2x3xf32>
    %12 = stablehlo.sqrt %arg0 : tensor<2x3xf32>
    %13 = stablehlo.tan %arg0 : tensor<2x3xf32>
    %14 = stablehlo.tanh %arg0 : tensor<2x3xf32>
    %15 = stablehlo.count_leading_zeros %arg1 : tensor<2x3xi32>
    %16 = stablehlo.popcnt %arg1 : tensor<2x3xi32>
    %17 = stablehlo.divide %arg0, %arg0 : tensor<2x3xf32>
    %18 = stablehlo.maximum %arg0, %arg0 : tensor<2x3xf32>
    %19 = stablehlo.minimum %arg0, %arg0 : tensor<2x3xf32>
    %20 = stablehlo.multiply %arg0, %arg0 : tensor<2x3xf32>
    %21 = stablehlo.remainder %arg0, %arg0 : tensor<2x3xf32>
    %22 = stablehlo.and %arg1, %arg1 : tensor<2x3xi32>
    %23 = stablehlo.shift_left %arg1, %arg1 : tensor<2x3xi32>
    %24 = stablehlo.shift_right_arithmetic %arg1, %arg1 : tensor<2x3xi32>
    %25 = stablehlo.shift_right_logical %arg1, %arg1 : tensor<2x3xi32>
    %26 = stablehlo.xor %arg1, %arg1 : tensor<2x3xi32>
    %27 = "stablehlo.collective_reduce"(%arg0) <{replica_groups = dense<[[0, 1]]> : tensor<1x2xi64>}> ({
    ^bb0(%arg2: tensor<f32>, %arg3: tensor<f32>):
      %28 = stablehlo.add %arg2, %arg3 : tensor<f32>
      stablehlo.return %28 : tensor<f32>
    }) : (tensor<2x3xf32>) -> tensor<2x3xf32>
    return
  }
  func.func @chlo(%arg0: tensor<2x3xf32>, %arg1: tensor<2x3xi32>, %arg2: tensor<3xf32>, %arg3: tensor<2x3xi1>) {
    %0 = chlo.acosh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %1 = chlo.asin %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %2 = chlo.asinh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %3 = chlo.atan %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %4 = chlo.atanh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %5 = chlo.bessel_i1e %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %6 = chlo.cosh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %7 = chlo.digamma %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %8 = chlo.erf %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %9 = chlo.erf_inv %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %10 = chlo.erfc %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %11 = chlo.lgamma %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %12 = chlo.sinh %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %13 = chlo.square %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %14 = chlo.tan %arg0 : tensor<2x3xf32> -> tensor<2x3xf32>
    %15 = chlo.is_neg_inf %arg0 : tensor<2x3xf32> -> tensor<2x3xi1>
    %16 = chlo.mulhi %arg1, %arg1 : tensor<2x3xi32>, tensor<2x3xi32> -> tensor<2x3xi32>
    %17 = chlo.broadcast_atan2 %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %18 = chlo.broadcast_divide %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %19 = chlo.broadcast_maximum %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %20 = chlo.broadcast_minimum %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %21 = chlo.broadcast_multiply %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %22 = chlo.broadcast_next_after %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %23 = chlo.broadcast_polygamma %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %24 = chlo.broadcast_power %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %25 = chlo.broadcast_remainder %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %26 = chlo.broadcast_subtract %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %27 = chlo.broadcast_zeta %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xf32>
    %28 = chlo.broadcast_and %arg1, %arg1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %29 = chlo.broadcast_or %arg1, %arg1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %30 = chlo.broadcast_xor %arg1, %arg1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %31 = chlo.broadcast_shift_left %arg1, %arg1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %32 = chlo.broadcast_shift_right_arithmetic %arg1, %arg1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %33 = chlo.broadcast_shift_right_logical %arg1, %arg1 : (tensor<2x3xi32>, tensor<2x3xi32>) -> tensor<2x3xi32>
    %34 = chlo.broadcast_complex %arg0, %arg2 : (tensor<2x3xf32>, tensor<3xf32>) -> tensor<2x3xcomplex<f32>>
    %35:2 = chlo.scan(%arg0) inits (%arg2) dimension=0  attributes {is_reverse = true} {
    ^bb0(%input: tensor<3xf32>, %carry: tensor<3xf32>):
      %36 = stablehlo.add %input, %carry : tensor<3xf32>
      stablehlo.return %36, %36 : tensor<3xf32>, tensor<3xf32>
    } : (tensor<2x3xf32>, tensor<3xf32>) -> (tensor<2x3xf32>, tensor<3xf32>)
    return
  }
}
