module {
  func.func @reduce(%arg0: tensor<2x3xbf16>, %arg1: tensor<bf16>, %arg2: tensor<2x3xi1>, %arg3: tensor<i1>) {
    %0 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [0, 1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<f32>
     reducer(%arg4: tensor<f32>, %arg5: tensor<f32>)  {
      %6 = stablehlo.add %arg4, %arg5 : tensor<f32>
      stablehlo.return %6 : tensor<f32>
    }
    %1 = stablehlo.reduce(%arg2 init: %arg3) applies stablehlo.or across dimensions = [0, 1] : (tensor<2x3xi1>, tensor<i1>) -> tensor<i1>
    %2 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [0, 1] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<bf16>
    %3 = stablehlo.reduce(%arg0 init: %arg1) applies stablehlo.add across dimensions = [] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2x3xbf16>
    %4 = stablehlo.reduce(%arg0 init: %arg1) across dimensions = [] : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2x3xbf16>
     reducer(%arg4: tensor<bf16>, %arg5: tensor<bf16>)  {
      %6 = stablehlo.add %arg4, %arg4 : tensor<bf16>
      stablehlo.return %6 : tensor<bf16>
    }
    %5 = stablehlo.while(%iterArg = %arg0) : tensor<2x3xbf16> attributes {foo = 1 : i32}
    cond {
      stablehlo.return %arg3 : tensor<i1>
    } do {
      stablehlo.return %iterArg : tensor<2x3xbf16>
    }
    return
  }
}
