# Finds LLVM and MLIR 22 and makes `tenon_mlir`: their static archives, only what is referenced is linked.
# (Version 22 without the minor number is refused by the packages.)

find_package(MLIR 22.1 REQUIRED CONFIG HINTS /usr/lib/llvm-22)
message(STATUS "MLIR ${MLIR_VERSION}: ${MLIR_DIR}")
list(APPEND CMAKE_MODULE_PATH ${MLIR_CMAKE_DIR} ${LLVM_CMAKE_DIR})
include(TableGen)
include(AddLLVM)
include(AddMLIR)

# At the level of the directory, because mlir-tblgen takes its include paths from there.
include_directories(SYSTEM ${LLVM_INCLUDE_DIRS} ${MLIR_INCLUDE_DIRS} ${TENON_GENERATED_DIR})

file(GLOB llvm_archives ${LLVM_LIBRARY_DIR}/libLLVM*.a)
file(GLOB mlir_archives ${LLVM_LIBRARY_DIR}/libMLIR*.a)

find_package(ZLIB REQUIRED)
find_library(TENON_ZSTD NAMES zstd REQUIRED)
mark_as_advanced(TENON_ZSTD)

add_library(tenon_mlir INTERFACE)
target_link_libraries(tenon_mlir INTERFACE
  -Wl,--start-group ${mlir_archives} ${llvm_archives} -Wl,--end-group
  ZLIB::ZLIB ${TENON_ZSTD} Threads::Threads ${CMAKE_DL_LIBS} m)
