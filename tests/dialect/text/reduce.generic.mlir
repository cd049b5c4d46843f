func.func @reduce(%f: tensor<2x3xbf16>, %s: tensor<bf16>, %p: tensor<2x3xi1>, %t: tensor<i1>) {
  %0 = "stablehlo.reduce"(%f, %s) ({ ^bb0(%x: tensor<f32>, %y: tensor<f32>): %z = stablehlo.add %x, %y : tensor<f32>
     stablehlo.return %z : tensor<f32> }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<f32>
  %1 = "stablehlo.reduce"(%p, %t) ({ ^bb0(%x: tensor<i1>, %y: tensor<i1>): %z = stablehlo.or %x, %y : tensor<i1>
     stablehlo.return %z : tensor<i1> }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xi1>, tensor<i1>) -> tensor<i1>
  %2 = "stablehlo.reduce"(%f, %s) ({ ^bb0(%x: tensor<bf16>, %y: tensor<bf16>): %z = stablehlo.add %x, %y : tensor<bf16>
     stablehlo.return %z : tensor<bf16> }) {dimensions = array<i64: 0, 1>} : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<bf16>
  %3 = "stablehlo.reduce"(%f, %s) ({ ^bb0(%x: tensor<bf16>, %y: tensor<bf16>): %z = stablehlo.add %x, %y : tensor<bf16>
     stablehlo.return %z : tensor<bf16> }) {dimensions = array<i64>} : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2x3xbf16>
  %4 = "stablehlo.reduce"(%f, %s) ({ ^bb0(%x: tensor<bf16>, %y: tensor<bf16>): %z = stablehlo.add %x, %x : tensor<bf16>
     stablehlo.return %z : tensor<bf16> }) {dimensions = array<i64>} : (tensor<2x3xbf16>, tensor<bf16>) -> tensor<2x3xbf16>
  %6 = "stablehlo.while"(%f) ({ ^bb0(%x: tensor<2x3xbf16>): stablehlo.return %t : tensor<i1> }, { ^bb0(%x: tensor<2x3xbf16>): stablehlo.return %x : tensor<2x3xbf16> }) {foo = 1 : i32} : (tensor<2x3xbf16>) -> (tensor<2x3xbf16>)
  return
}
