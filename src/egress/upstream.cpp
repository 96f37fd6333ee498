#include "egress/upstream.hpp"

#include <openssl/err.h>
#include <openssl/pem.h>

#include <algorithm>
#include <limits>

#include "egress/authority.hpp"
#include "egress/certificate.hpp"

namespace atl::egress {
namespace {

constexpr unsigned char kHttp1[] = "\x08http/1.1";

// How many were added. What cannot be read is left out, as everybody does with such bundles.
std::size_t add_roots(X509_STORE* store, std::string_view bundle) {
  std::size_t added = 0, most = std::numeric_limits<int>::max();
  Owned<BIO> bio(BIO_new_mem_buf(bundle.data(), static_cast<int>(std::min(bundle.size(), most))));
  while (bio && BIO_ctrl_pending(bio.get()) > 0) {
    Owned<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, nullptr));
    if (certificate && X509_STORE_add_cert(store, certificate.get()) == 1) ++added;
  }
  ERR_clear_error();
  return added;
}

}  // namespace

Result<std::shared_ptr<SSL_CTX>> upstream_context(std::string_view roots, std::string_view more) {
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_client_method()), FreeOpenssl{});
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_set_alpn_protos(context.get(), kHttp1, sizeof kHttp1 - 1) != 0) {
    return fail_openssl("prepare TLS");
  }
  SSL_CTX_set_security_level(context.get(), 2);  // as Debian does: 112 bits
  SSL_CTX_set_verify(context.get(), SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(), SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  X509_STORE* store = SSL_CTX_get_cert_store(context.get());
  // A root that an operator trusts need not be self-signed.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_TRUSTED_FIRST);
  add_roots(store, roots);
  if (add_roots(store, more) == 0 && !more.empty()) {
    return fail(Code::kInvalidValue, "there is no certificate in the roots");
  }
  return context;
}

}  // namespace atl::egress
