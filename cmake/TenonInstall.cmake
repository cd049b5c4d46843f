# Installs the library, the public headers and the package files of find_package(tenon).
