// FileCheck on strings. LLVM's own matcher; its diagnostics become the message.
#include "llvm/ADT/SmallString.h"
#include "llvm/FileCheck/FileCheck.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include "tenon/testkit.h"

namespace tenon::testkit {

Result check_ir(std::string_view text, std::string_view patterns) {
  llvm::FileCheckRequest request;
  request.CheckPrefixes = {"CHECK"};
  llvm::FileCheck checker(request);
  llvm::SourceMgr sources;
  std::string message;
  sources.setDiagHandler(
      [](const llvm::SMDiagnostic& diagnostic, void* context) {
        llvm::raw_string_ostream out(*static_cast<std::string*>(context));
        diagnostic.print(nullptr, out, /*ShowColors=*/false);
      },
      &message);
  auto buffer_of = [&](std::string_view contents, const char* name) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(contents.data(), contents.size()), name);
    llvm::StringRef view = buffer->getBuffer();
    sources.AddNewSourceBuffer(std::move(buffer), llvm::SMLoc());
    return view;
  };
  std::string canonical;  // FileCheck wants runs of blanks as one blank, in both texts
  auto canonicalize = [&](std::string_view contents, const char* name) {
    auto buffer = llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(contents.data(), contents.size()), name);
    llvm::SmallString<0> storage;
    return std::string(checker.CanonicalizeFile(*buffer, storage));
  };
  llvm::StringRef pattern_view = buffer_of(canonicalize(patterns, "patterns"), "patterns");
  if (checker.readCheckFile(sources, pattern_view))
    return Result("check_ir: the patterns are malformed: " + message);
  llvm::StringRef text_view = buffer_of(canonicalize(text, "text"), "text");
  if (checker.checkInput(sources, text_view)) return {};
  return Result("check_ir: " + message + "in\n" + std::string(text));
}

}  // namespace tenon::testkit
