// Dialect of StableHLO's test files: comparisons with expected values.
#ifndef TENON_DIALECT_CHECK_OPS
#define TENON_DIALECT_CHECK_OPS

include "stablehlo_attrs.td"

def Check_Dialect : Dialect {
  let name = "check";
  let cppNamespace = "::tenon::check";
}
class Check_Op<string mnemonic> : Op<Check_Dialect, mnemonic>;

def ExpectAlmostEqOp : Check_Op<"expect_almost_eq"> {
  let arguments = (ins AnyHlo:$lhs, AnyHlo:$rhs, OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = "$lhs `,` $rhs (`,` `tolerance` `=` $tolerance^)? attr-dict `:` custom<SameTypePair>(type($lhs), type($rhs))";
}
def ExpectAlmostEqConstOp : Check_Op<"expect_almost_eq_const"> {
  let arguments = (ins AnyHlo:$lhs, ElementsAttr:$value, OptionalAttr<F64Attr>:$tolerance);
  let assemblyFormat = "$lhs `,` custom<ConstantOfType>($value, type($lhs)) (`,` `tolerance` `=` $tolerance^)? attr-dict";
}
def ExpectCloseOp : Check_Op<"expect_close"> {
  let arguments = (ins AnyHlo:$actual, AnyHlo:$expected,
                       DefaultValuedOptionalAttr<I64Attr, "3">:$max_ulp_difference,
                       DefaultValuedOptionalAttr<I64Attr, "0">:$min_ulp_difference);
  let assemblyFormat = [{
    $actual `,` $expected (`,` `max_ulp_difference` `=` $max_ulp_difference^)?
    (`,` `min_ulp_difference` `=` $min_ulp_difference^)? attr-dict `:` type($actual) `,` type($expected)
  }];
}
def ExpectEqOp : Check_Op<"expect_eq"> {
  let arguments = (ins AnyHlo:$lhs, AnyHlo:$rhs);
  let assemblyFormat = "$lhs `,` $rhs attr-dict `:` custom<SameTypePair>(type($lhs), type($rhs))";
}
def ExpectEqConstOp : Check_Op<"expect_eq_const"> {
  let arguments = (ins AnyHlo:$lhs, ElementsAttr:$value);
  let assemblyFormat = "$lhs `,` custom<ConstantOfType>($value, type($lhs)) attr-dict";
}

#endif
