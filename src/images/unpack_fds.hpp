// The descriptors that atoll-unpack is started with.
#pragma once

namespace atl::images {

inline constexpr int kArchiveFd = 3;
inline constexpr int kStagingFd = 4;
inline constexpr int kKnownFd = 5;
inline constexpr int kReportFd = 6;

}  // namespace atl::images
