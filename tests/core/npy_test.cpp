// .npy files: what NumPy writes is read, what is written is what NumPy writes, and nothing else passes.
#include "tenon/npy.h"

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/npy_header.h"
#include "support/expect_error.h"
#include "support/test_client.h"
#include "tenon/config.h"
#include "tenon/host.h"

namespace tenon {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

class Npy : public testing::Test {
 protected:
  Npy() {
    TestClient::instance();
    std::string pattern = (std::filesystem::temp_directory_path() / "npy_test-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~Npy() override { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name = "a.npy") const { return folder_ + "/" + name; }
  std::string file(const std::string& bytes) const {
    std::ofstream(path(), std::ios::binary) << bytes;
    return path();
  }
  std::string content(const std::string& name = "a.npy") const {
    std::stringstream out;
    out << std::ifstream(path(name), std::ios::binary).rdbuf();
    return out.str();
  }
  size_t files() const {
    return static_cast<size_t>(std::distance(std::filesystem::directory_iterator(folder_), std::filesystem::directory_iterator()));
  }

  std::string folder_;
};

// A file of format 1.0 with that dictionary.
std::string npy(const std::string& dict, const std::string& data, int version = 1) {
  std::string out("\x93NUMPY", 6);
  out += static_cast<char>(version);
  out += '\0';
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i) out += static_cast<char>(dict.size() >> 8 * i);
  return out + dict + data;
}
std::string header(const std::string& descr, const std::string& shape, const std::string& order = "False") {
  return "{'descr': '" + descr + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
}
template <class T>
std::string bytes(std::initializer_list<T> values) {
  return std::string(reinterpret_cast<const char*>(values.begin()), values.size() * sizeof(T));
}

TEST_F(Npy, WritesWhatNumpyWrites) {
  // numpy.save of zeros((2, 3), float32), float32(3), zeros((), bool), zeros((0, 3), uint8), ones(2, bfloat16).
  auto saved = [&](const Aval& aval, const void* data) {
    save_npy(path(), device_put(HostView(data, aval)));
    return content();
  };
  const char zeros[64] = {};
  auto expected = [](const std::string& dict, size_t total, const std::string& data) {
    return std::string("\x93NUMPY\x01\x00", 8) + static_cast<char>(total) + '\0' + dict + std::string(total - dict.size() - 1, ' ') + "\n" + data;
  };
  EXPECT_EQ(saved({Shape{2, 3}, DType(DType::kFloat32)}, zeros), expected(header("<f4", "(2, 3)"), 118, std::string(24, '\0')));
  float three = 3;
  EXPECT_EQ(saved({Shape{}, DType(DType::kFloat32)}, &three), expected(header("<f4", "()"), 118, std::string("\0\0@@", 4)));
  EXPECT_EQ(saved({Shape{}, DType(DType::kBool)}, zeros), expected(header("|b1", "()"), 118, std::string(1, '\0')));
  EXPECT_EQ(saved({Shape{0, 3}, DType(DType::kUInt8)}, zeros), expected(header("|u1", "(0, 3)"), 118, ""));
  EXPECT_EQ(saved({Shape{2}, DType(DType::kBFloat16)}, "\x80\x3f\x80\x3f"), expected(header("<V2", "(2,)"), 118, "\x80\x3f\x80\x3f"));
  // ones((1,) * 20, uint8)
  std::string ones = "(1";
  for (int i = 1; i < 20; ++i) ones += ", 1";
  EXPECT_EQ(saved({Shape(std::vector<int64_t>(20, 1)), DType(DType::kUInt8)}, zeros), expected(header("|u1", ones + ")"), 182, std::string(1, '\0')));
}

TEST_F(Npy, EveryDtypeComesBack) {
  config::Scope x64({{"enable_x64", true}});
  unsigned char data[96];
  for (size_t i = 0; i < sizeof data; ++i) data[i] = static_cast<unsigned char>(37 * i + 1);
  for (int code = DType::kBool; code <= DType::kComplex128; ++code) {
    if (code == DType::kBool)
      for (unsigned char& byte : data) byte &= 1;
    Aval aval{Shape{2, 3}, DType(code), false};
    save_npy(path(), device_put(HostView(data, aval)));
    Array back = load_npy(path());
    EXPECT_EQ(back.aval(), aval);
    EXPECT_EQ(std::memcmp(back.unsafe_buffer_pointer(), data, static_cast<size_t>(aval.nbytes())), 0) << aval.str();
  }
  EXPECT_EQ(files(), 1u);
}

TEST_F(Npy, ScalarsAreSavedAsArraysOfRankZero) {
  save_npy(path(), Array(2.5));
  Array back = load_npy(path());
  EXPECT_EQ(back.shape(), Shape{});
  EXPECT_FALSE(back.weak_type());
  EXPECT_EQ(back.item<float>(), 2.5f);
}

TEST_F(Npy, WideElementsBecomeNarrow) {
  Array floats = load_npy(file(npy(header("<f8", "(2,)"), bytes({0.1, 1e300}))));
  EXPECT_EQ(floats.dtype(), DType(DType::kFloat32));
  EXPECT_EQ(floats.to_vector<float>(), (std::vector<float>{0.1f, INFINITY}));
  Array integers = load_npy(file(npy(header("<i8", "(2,)"), bytes<int64_t>({-1, (int64_t{1} << 32) + 7}))));
  EXPECT_EQ(integers.dtype(), DType(DType::kInt32));
  EXPECT_EQ(integers.to_vector<int>(), (std::vector<int>{-1, 7}));
  EXPECT_EQ(load_npy(file(npy(header("<c16", "(1,)"), bytes({1.0, 2.0})))).dtype(), DType(DType::kComplex64));
  config::Scope x64({{"enable_x64", true}});
  EXPECT_EQ(load_npy(file(npy(header("<f8", "(1,)"), bytes({0.1})))).to_vector<double>(), std::vector<double>{0.1});
}

TEST_F(Npy, FortranOrderBecomesRowMajor) {
  Array a = load_npy(file(npy(header("<i4", "(2, 3)", "True"), bytes({0, 10, 1, 11, 2, 12}))));
  EXPECT_EQ(a.to_vector<int>(), (std::vector<int>{0, 1, 2, 10, 11, 12}));
  std::vector<int> data(24);
  for (int i = 0; i < 2; ++i)
    for (int j = 0; j < 3; ++j)
      for (int k = 0; k < 4; ++k) data[static_cast<size_t>(i + 2 * j + 6 * k)] = 100 * i + 10 * j + k;
  Array b = load_npy(file(npy(header("<i4", "(2, 3, 4)", "True"), std::string(reinterpret_cast<char*>(data.data()), 96))));
  EXPECT_EQ(b.to_vector<int>()[23], 123);
  EXPECT_EQ(b.to_vector<int>()[1 * 12 + 2 * 4 + 0], 120);
  EXPECT_EQ(load_npy(file(npy(header("<i4", "(0, 3)", "True"), ""))).shape(), (Shape{0, 3}));
}

TEST_F(Npy, BytesAreSwapped) {
  EXPECT_EQ(load_npy(file(npy(header(">i4", "(2,)"), std::string("\0\0\0\1\0\0\1\0", 8)))).to_vector<int>(), (std::vector<int>{1, 256}));
  EXPECT_EQ(load_npy(file(npy(header(">u2", "()"), std::string("\1\2", 2)))).item<int>(), 258);
  Array c = load_npy(file(npy(header(">c8", "()"), std::string("\x3f\x80\0\0\x40\0\0\0", 8))));
  EXPECT_EQ(std::memcmp(c.unsafe_buffer_pointer(), bytes({1.0f, 2.0f}).data(), 8), 0);
}

TEST_F(Npy, BoolsAreZeroOrOne) {
  Array a = load_npy(file(npy(header("|b1", "(4,)"), std::string("\0\1\2\xff", 4))));
  EXPECT_EQ(std::memcmp(a.unsafe_buffer_pointer(), "\0\1\1\1", 4), 0);
}

TEST_F(Npy, OtherVersionsAndSpellings) {
  for (int version : {1, 2, 3}) EXPECT_EQ(load_npy(file(npy(header("<i4", "()"), bytes({5}), version))).item<int>(), 5);
  EXPECT_EQ(load_npy(file(npy("{\"shape\":(1,),\"descr\":\"=i4\",\"fortran_order\":False}\n", bytes({5})))).item<int>(), 5);
  EXPECT_EQ(load_npy(file(npy(header("<i4", "(1L, 1L)"), bytes({5})))).shape(), (Shape{1, 1}));
}

TEST_F(Npy, SaysWhatIsWrong) {
  auto error = [&](const std::string& bytes) -> std::string {
    try {
      load_npy(file(bytes));
    } catch (const ParseError& e) {
      return e.what();
    }
    return "nothing";
  };
  EXPECT_EQ(error("hello"), "load_npy: this is not a .npy file; got file " + path() + "; write it again with numpy.save or save_npy");
  EXPECT_THAT(error(npy(header("|O", "(1,)"), "x")), HasSubstr("dtype '|O': Python objects are not read"));
  EXPECT_THAT(error(npy(header("<U5", "(1,)"), "x")), HasSubstr("dtype '<U5': text is not read"));
  EXPECT_THAT(error(npy(header("|S5", "(1,)"), "x")), HasSubstr("text is not read"));
  EXPECT_THAT(error(npy(header("<M8[ns]", "(1,)"), "x")), HasSubstr("dates are not read"));
  EXPECT_THAT(error(npy(header("|V1", "(1,)"), "x")), HasSubstr("records are not read"));
  EXPECT_THAT(error(npy(header("<f16", "(1,)"), "x")), HasSubstr("there is no such element type"));
  EXPECT_THAT(error(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (1,), }", "abcd")), HasSubstr("records are not read"));
  EXPECT_THAT(error(npy(header("<f4", "(2,)"), "1234567")), HasSubstr("it ends inside its array: f32[2] needs 8 bytes and there are 7"));
  EXPECT_THAT(error(npy(header("<f4", "(2,)"), "123456789")), HasSubstr("something stands behind its array, f32[2]"));
  EXPECT_THAT(error(npy(header("<f4", "(4611686018427387904,)"), "1234")), HasSubstr("has more bytes than fit in 63 bits"));
  EXPECT_THAT(error(npy(header("<f4", "(9223372036854775807, 9223372036854775807)"), "1234")), HasSubstr("has more bytes than fit in 63 bits"));
  EXPECT_THAT(error(npy(header("<f4", "(1000000000000,)"), "1234")), HasSubstr("needs 4000000000000 bytes and there are 4"));
  EXPECT_THAT(error(npy(header("<f4", "(9223372036854775808,)"), "1234")), HasSubstr("sizes that fit in 63 bits"));
  EXPECT_THAT(error(npy(header("<f4", "(-1,)"), "1234")), HasSubstr("sizes that fit in 63 bits"));
  EXPECT_THAT(error(npy(header("<f4", "(1)"), "1234")), HasSubstr("shape is not a tuple"));
  EXPECT_THAT(error(npy(header("<f4", "1"), "1234")), HasSubstr("there is no '('"));
  EXPECT_THAT(error(npy(header("<f4", "(1,)", "0"), "1234")), HasSubstr("fortran_order is not True or False"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'shape': (), }", "1234")), HasSubstr("once each"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (), }", "1234")), HasSubstr("once each"));
  EXPECT_THAT(error(npy("{'descr': '<f4', 'fortran_order': False, 'shape': (), 'x\33': 1}", "1234")), HasSubstr("the header has a key 'x?'"));
  EXPECT_THAT(error(npy(header("<f4", "()") + "x", "1234")), HasSubstr("something stands behind the dictionary"));
  std::string many = "(1";
  for (int i = 0; i < 64; ++i) many += ", 1";
  EXPECT_THAT(error(npy(header("<f4", many + ")"), "1234")), HasSubstr("more than 64 axes"));
  EXPECT_THAT(error(std::string("\x93NUMPY\x04\x00", 8) + "xxxx"), HasSubstr("format 4.0 is not known"));
  EXPECT_THAT(error(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12) + "xxxx"), HasSubstr("its header claims 4294967295 bytes"));
}

TEST_F(Npy, FilesThatCannotBeRead) {
  EXPECT_ERROR(RuntimeError, load_npy(path("none.npy")), "load_npy: open failed: No such file or directory; got file " + path("none.npy"));
  EXPECT_ERROR(RuntimeError, load_npy(folder_), "load_npy: read failed: Is a directory; got file " + folder_);
  EXPECT_ERROR(RuntimeError, load_npy(std::string(5000, 'x')), "load_npy: open failed: File name too long; got file " + std::string(5000, 'x'));
  EXPECT_THROW(load_npy("/dev/null"), ParseError);
  EXPECT_THROW(load_npy("/dev/zero"), ParseError);
}

TEST_F(Npy, FilesThatCannotBeWritten) {
  Array a = device_put(HostView("1234567", Aval{Shape{7}, DType(DType::kUInt8)}));
  EXPECT_ERROR(RuntimeError, save_npy(path("no/a.npy"), a), "save_npy: open failed: No such file or directory; got file " + path("no/a.npy"));
  EXPECT_ERROR(RuntimeError, save_npy("/dev/full", a), "save_npy: write failed: No space left on device; got file /dev/full");
  EXPECT_NO_THROW(save_npy("/dev/null", a));
  EXPECT_ERROR(RuntimeError, save_npy(folder_, a), "save_npy: open failed: Is a directory; got file " + folder_);
  // A full disk: the old file stays, and nothing else.
  save_npy(path(), a);
  std::string before = content();
  auto handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit old, small{64, RLIM_INFINITY};
  getrlimit(RLIMIT_FSIZE, &old);
  small.rlim_max = old.rlim_max;
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_ERROR(RuntimeError, save_npy(path(), a), "save_npy: write failed: File too large; got file " + path());
  setrlimit(RLIMIT_FSIZE, &old);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(content(), before);
  EXPECT_EQ(files(), 1u);
}

TEST_F(Npy, ReplacesWhatIsThere) {
  save_npy(path(), Array(1));
  ::chmod(path().c_str(), 0600);
  std::filesystem::create_symlink("a.npy", path("link.npy"));
  save_npy(path("link.npy"), Array(2));
  EXPECT_TRUE(std::filesystem::is_symlink(path("link.npy")));
  EXPECT_EQ(load_npy(path()).item<int>(), 2);
  EXPECT_EQ(std::filesystem::status(path()).permissions(), std::filesystem::perms(0600));
  EXPECT_EQ(files(), 2u);
}

TEST_F(Npy, RefusesWhatHasNoElements) {
  EXPECT_ERROR(TypeError, save_npy(path(), ShapeDtype({2}, DType(DType::kFloat32))), "save_npy: a ShapeDtype has no elements; got f32[2]");
  EXPECT_ERROR(ValueError, save_npy(path(), Array()), "save_npy: the Array is empty (default-constructed); give it a value first");
  Array key = device_put(HostView("12345678", Aval{Shape{}, DType(DType::kKeyFry)}));
  EXPECT_ERROR(TypeError, save_npy(path(), key),
               "save_npy: .npy files have no name for elements of key<fry>; got key<fry>[]; convert with astype");
  EXPECT_EQ(files(), 0u);
}

// Any damage: a value or a ParseError.
TEST_F(Npy, DamagedFilesAreValuesOrParseErrors) {
  std::string good = npy(header("<f4", "(2, 3)", "True") + std::string(10, ' ') + "\n", std::string(24, 'x'));
  int values = 0, errors = 0, fd = ::memfd_create("npy_test", MFD_CLOEXEC);  // thousands of files on a disk take long
  ASSERT_GE(fd, 0);
  auto try_it = [&](const std::string& damaged) {
    ASSERT_EQ(::ftruncate(fd, 0), 0);
    ASSERT_EQ(::pwrite(fd, damaged.data(), damaged.size(), 0), static_cast<ssize_t>(damaged.size()));
    try {
      Array a = load_npy("/proc/self/fd/" + std::to_string(fd));
      EXPECT_LE(a.size(), 24);
      ++values;
    } catch (const ParseError& e) {
      EXPECT_THAT(e.what(), StartsWith("load_npy: "));
      ++errors;
    }
  };
  try_it(good);
  EXPECT_EQ(values, 1);
  for (size_t length = 0; length < good.size(); ++length) try_it(good.substr(0, length));
  EXPECT_EQ(values, 1);
  for (size_t bit = 0; bit < 8 * good.size(); ++bit) {
    std::string damaged = good;
    damaged[bit / 8] = static_cast<char>(damaged[bit / 8] ^ 1 << bit % 8);
    try_it(damaged);
  }
  for (size_t at = 0; at < good.size(); ++at)
    for (int byte = 0; byte < 256; byte += 5) {
      std::string damaged = good;
      damaged[at] = static_cast<char>(byte);
      try_it(damaged);
    }
  ::close(fd);
  EXPECT_GT(values, 8 * 24);
  EXPECT_GT(errors, 500);
}

TEST_F(Npy, Pipes) {
  std::string fifo = path("fifo");
  ASSERT_EQ(::mkfifo(fifo.c_str(), 0600), 0);
  auto through = [&](const std::string& bytes) {
    pid_t writer = ::fork();
    if (writer == 0) {
      std::ofstream(fifo, std::ios::binary) << bytes;
      ::_exit(0);
    }
    Array a = load_npy(fifo);
    return a;
  };
  EXPECT_EQ(through(npy(header("<i4", "(2,)"), bytes({3, 4}))).to_vector<int>(), (std::vector<int>{3, 4}));
  EXPECT_THROW(through(npy(header("<i4", "(3,)"), bytes({3, 4}))), ParseError);
}

}  // namespace
}  // namespace tenon
