# Building for 64-bit ARM on another machine, with Clang, Debian's cross C++ library and packages of architecture arm64;
# what was built runs under qemu-user. Packages: tools/install_deps aarch64. (GCC 12 takes ten minutes for the NEON
# kernels, Clang 14 five seconds.)
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_C_COMPILER clang)
set(CMAKE_C_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_CXX_COMPILER clang++)
set(CMAKE_CXX_COMPILER_TARGET aarch64-linux-gnu)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_CROSSCOMPILING_EMULATOR qemu-aarch64)
