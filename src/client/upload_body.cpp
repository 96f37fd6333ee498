#include "client/upload_body.hpp"

#include <algorithm>
#include <utility>

#include "http/uri.hpp"

namespace atl::client {

UploadBody::UploadBody(std::vector<SentFile> files, std::string boundary)
    : files_(std::move(files)), boundary_(std::move(boundary)) {
  for (const SentFile& file : files_) length_ += head_of(file).size() + file.size + 2;
  length_ += tail().size();
}

std::string UploadBody::head_of(const SentFile& file) const {
  return "--" + boundary_ + "\r\nContent-Disposition: form-data; name=\"file\"; filename*=UTF-8''" +
         http::percent_encode(file.name) + "\r\n\r\n";
}

Task<Result<std::size_t>> UploadBody::read(std::span<char> into) {
  for (;;) {
    if (!text_.empty()) {
      std::size_t size = std::min(text_.size(), into.size());
      std::copy_n(text_.begin(), size, into.begin());
      text_.erase(0, size);
      co_return size;
    }
    if (left_ > 0) {
      SentFile& file = files_[next_ - 1];
      auto most = static_cast<std::size_t>(std::min<std::uint64_t>(left_, into.size()));
      ATOLL_CO_TRY(std::size_t got, co_await file.source(into.first(most)));
      if (got == 0)
        co_return fail(Code::kConflict, file.name + " became shorter while it was sent");
      left_ -= got;
      co_return got;
    }
    if (in_content_) {
      in_content_ = false;
      files_[next_ - 1].source = {};  // closes it
      text_ = "\r\n";
    } else if (next_ < files_.size()) {
      text_ = head_of(files_[next_]);
      left_ = files_[next_++].size;
      in_content_ = true;
    } else if (!ended_) {
      ended_ = true;
      text_ = tail();
    } else {
      co_return 0;
    }
  }
}

}  // namespace atl::client
