// Programs that do more than to compute results: runs come in, somebody waits for what they do.
#pragma once

#include "runtime/completion.h"

namespace tenon::runtime {

/// Remembers the run of a program with effects until it is done, and its failure until the next
/// wait_for_effects. Null: it has run well.
void follow_effects(const Ref<Completion>& run);

/// Returns when all runs followed so far are done, then throws the first failure among those since
/// the last call. Does nothing on the dispatch thread: the run that waits there is not done.
void wait_for_effects();

}  // namespace tenon::runtime
