# Flags of every file of ours; the linker; the compiler launcher; sanitizers.

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 11)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)

# No -march: the library runs on baseline x86-64 and chooses its kernels at run time.
# No contraction: a multiply and an add are two roundings unless the source says fma.
add_compile_options(-Wall -Wextra -ffp-contract=off -ffunction-sections -fdata-sections)

if(NOT TENON_COMPILER_LAUNCHER)
  find_program(TENON_CCACHE ccache)
  mark_as_advanced(TENON_CCACHE)
endif()
foreach(language C CXX)
  if(TENON_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${TENON_COMPILER_LAUNCHER})
  elseif(TENON_CCACHE AND NOT CMAKE_${language}_COMPILER_LAUNCHER)
    set(CMAKE_${language}_COMPILER_LAUNCHER ${TENON_CCACHE})
  endif()
endforeach()

# lld links LLVM five times faster than bfd, and forgives undefined symbols in dropped sections.
if(CMAKE_CXX_COMPILER_ID STREQUAL "Clang")
  add_link_options(-fuse-ld=lld)
else()
  find_program(TENON_LLD NAMES ld.lld HINTS /usr/lib/llvm-22/bin REQUIRED)
  mark_as_advanced(TENON_LLD)
  cmake_path(GET TENON_LLD PARENT_PATH lld_folder)
  add_link_options(-B${lld_folder} -fuse-ld=lld)
endif()
add_link_options(-Wl,--gc-sections)

if(CMAKE_BUILD_TYPE MATCHES "Debug|RelWithDebInfo")
  add_compile_options(-gsplit-dwarf)
endif()

if(TENON_SANITIZE)
  add_compile_options(-fsanitize=${TENON_SANITIZE} -fno-omit-frame-pointer -fno-sanitize-recover=all)
  add_link_options(-fsanitize=${TENON_SANITIZE})
  add_compile_definitions(TENON_SANITIZE=1)
endif()
