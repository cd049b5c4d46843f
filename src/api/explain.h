// Why a call had to be traced again.
#pragma once

#include <string>
#include <vector>

#include "tenon/detail/callable.h"

namespace tenon::detail {

/// A name for each leaf: "x", "params['w']", "arg1[0]".
std::vector<std::string> leaf_names(const Call& call, const std::vector<std::string>& arg_names);

/// How far the call is from an earlier one; 0: equal in all that texts show.
int distance_between(const Call& call, const std::vector<StaticArgument>& statics, const Avals& before, const std::vector<StaticArgument>& statics_before);

/// Logs, as a warning of "tenon.tracing", what differs between this call and an earlier one.
void log_cache_miss(const std::string& function, const std::vector<std::string>& names, const Call& call,
                    const Avals& before, const std::vector<StaticArgument>& statics_before,
                    const std::vector<std::string>& arg_names);

}  // namespace tenon::detail
