// Eigen's matrices and arrays, without copies.
#if __has_include(<Eigen/Core>)
#include "tenon/eigen.h"

#include <gtest/gtest.h>

#include "support/expect_error.h"
#include "tenon/tenon.h"

namespace tenon {
namespace {

TEST(Eigen, MatricesOfBothOrders) {
  Eigen::MatrixXf columns(2, 3);
  columns << 1, 2, 3, 4, 5, 6;
  const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> rows = columns;
  const std::vector<float> want{1, 2, 3, 4, 5, 6};
  EXPECT_EQ(from_eigen(columns).to_vector<float>(), want);
  EXPECT_EQ(from_eigen(rows).to_vector<float>(), want);
  EXPECT_EQ(from_eigen(columns).shape(), (Shape{2, 3}));
  EXPECT_EQ(device_put(eigen_view(columns)).to_vector<float>(), want);
  EXPECT_EQ(from_eigen(columns.block(0, 1, 2, 2)).to_vector<float>(), (std::vector<float>{2, 3, 5, 6}));
  EXPECT_EQ(from_eigen(columns.transpose()).to_vector<float>(), (std::vector<float>{1, 4, 2, 5, 3, 6}));
  EXPECT_EQ(from_eigen(columns * 2.0f).to_vector<float>()[5], 12);  // an expression
  const Eigen::VectorXi v = Eigen::VectorXi::LinSpaced(3, 1, 3);
  EXPECT_EQ(from_eigen(v).shape(), Shape{3});
  EXPECT_EQ(from_eigen(v.reverse().eval()).to_vector<int>(), (std::vector<int>{3, 2, 1}));
}

TEST(Eigen, MapsReadTheArray) {
  const Array x = jnp::arange(6.0).reshape({2, 3});
  const EigenMap<float> map(x);
  EXPECT_EQ(map.rows(), 2);
  EXPECT_EQ(map.cols(), 3);
  EXPECT_EQ(static_cast<const void*>(map.data()), x.unsafe_buffer_pointer());
  const Eigen::MatrixXf product = map * map.transpose();
  EXPECT_EQ(product(1, 1), 50);
  EXPECT_EQ(EigenMap<float>(jnp::arange(3.0)).rows(), 3);
  EXPECT_EQ(EigenMap<float>(jnp::arange(3.0)).cols(), 1);
  EXPECT_ERROR_HAS(ShapeError, EigenMap<float>(jnp::ones({2, 2, 2})), "at most two axes");
  EXPECT_ERROR_HAS(TypeError, EigenMap<double>(x), "the elements are float32");
}

TEST(Eigen, AMovedMatrixLivesInTheArray) {
  Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> m(64, 64);
  m.setConstant(2);
  const void* const data = m.data();
  const bool aligned = reinterpret_cast<uintptr_t>(data) % 64 == 0;
  const Array x = from_eigen(std::move(m));
  EXPECT_EQ(x.unsafe_buffer_pointer() == data, aligned);
  EXPECT_EQ(jnp::sum(x).item(), 8192);
}

}  // namespace
}  // namespace tenon
#endif
