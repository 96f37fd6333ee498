// What a failed step of the launcher means to whoever asked for a sandbox.
#include "backends/native/launcher_client.hpp"

namespace atl::backends::native {
namespace {

using engine::LauncherReply;
using engine::Step;

Error egress_error(int error) {
  switch (error) {
    case ESRCH: return Error(Code::kNotStarted, "the sandbox is gone", error);
    case EADDRINUSE:
      return Error(Code::kConflict, "somebody holds the sockets of its network already", error);
    case ENOENT:
    case EOPNOTSUPP:
    case EPROTONOSUPPORT:
      return Error(Code::kHostUnsupported,
                   "this kernel cannot lead a sandbox's connections to Atoll; it takes nft_tproxy",
                   error);
    case EIO:
      return Error(Code::kHostUnsupported,
                   "atoll-net did not run; it must lie beside atoll-launcher", error);
    default:
      return Error(Code::kHostUnsupported, "the kernel refuses the sandbox a network", error);
  }
}

}  // namespace

Error launcher_error(const LauncherReply& reply) {
  std::string what(engine::step_name(reply.step));
  int error = reply.errno_value;
  auto host = [&](const char* advice) {
    return Error(Code::kHostUnsupported,
                 "this host refuses sandboxes while " + what + "; " + advice, error);
  };
  switch (reply.step) {
    case Step::kBadRequest:
      return Error(Code::kInvalidArgument, "the launcher refused the request", error);
    case Step::kUnknownBox: return Error(Code::kNotFound, "no such sandbox", error);
    case Step::kZygote:
      if (error == EAGAIN) {
        return Error(Code::kResourceExhausted, "sixteen zygotes with sandboxes live on this host",
                     error);
      }
      return Error(Code::kUnsupported, "this host cannot hold a zygote; it takes root", error);
    case Step::kBusy:
      if (error == EAGAIN) break;
      return Error(Code::kConflict, "a sandbox of that name exists already", error);
    case Step::kMount:
      return Error(
          error == EACCES || error == EPERM ? Code::kForbidden : Code::kInvalidArgument,
          "a folder could not be mounted: the target must lie on a writable place or exist", error);
    case Step::kImage:
      if (error == ENOSPC || error == ENOMEM) break;
      return Error(Code::kHostUnsupported,
                   "the image's layers cannot be put together here: the store must lie on a file "
                   "system that overlayfs and idmapped mounts work on, such as ext4, xfs or btrfs",
                   error);
    case Step::kDisk:
      if (error == EOPNOTSUPP) {
        return Error(Code::kHostUnsupported,
                     "a disk cannot be formatted: mkfs.ext4 is missing; install e2fsprogs", error);
      }
      break;
    case Step::kRule:
      return Error(Code::kInvalidArgument, "a file system rule names a path that cannot be changed",
                   error);
    case Step::kUserNamespace:
      return host("allow user namespaces (user.max_user_namespaces), or run as root");
    case Step::kEgress: return egress_error(error);
    case Step::kRunFolder:
      if (error == ENOSPC || error == EDQUOT) break;
      return Error(Code::kHostUnsupported,
                   "the run folder cannot be used: it must be yours and writable by nobody else",
                   error);
    case Step::kLimits:
      if (error == EOPNOTSUPP) {
        return Error(Code::kLimitUnenforceable,
                     "a disk of more than half of the memory needs root; ask for less disk or more "
                     "memory",
                     error);
      }
      return Error(Code::kLimitUnenforceable, "the kernel refused a limit", error);
    default: break;
  }
  if (error == ENOSPC || error == ENOMEM || error == EAGAIN || error == EMFILE || error == ENFILE) {
    return Error(Code::kResourceExhausted, "the host ran out of something while " + what, error);
  }
  return host("`atoll doctor` says what is missing");
}

}  // namespace atl::backends::native
