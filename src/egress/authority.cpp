#include "egress/authority.hpp"

#include <openssl/pem.h>
#include <openssl/rand.h>
#include <openssl/x509v3.h>

#include <cstdint>

#include "egress/certificate.hpp"

namespace atl::egress {
namespace {

using std::chrono::hours;

constexpr auto kAuthorityLife = hours(24 * 3650);
// A certificate begins early: clocks that differ a little must not refuse it.
constexpr auto kEarly = hours(1);
constexpr auto kLeafLife = hours(24);
constexpr auto kRenewAfter = hours(12);
constexpr unsigned char kHttp1[] = "\x08http/1.1";

// One image may trust several instances, so their certificates have different names.
Result<std::string> new_subject() {
  std::uint32_t number = 0;
  if (RAND_bytes(reinterpret_cast<unsigned char*>(&number), sizeof number) != 1) {
    return fail_openssl("read random bytes");
  }
  return "Atoll " + std::to_string(number);
}

Result<std::string> text_of(BIO* bio) {
  char* data = nullptr;
  long size = BIO_get_mem_data(bio, &data);
  if (size <= 0) return fail_openssl("write a certificate");
  return std::string(data, static_cast<std::size_t>(size));
}

// The relay speaks http/1.1 only; a client that insists on another protocol is told so by an alert.
int choose_http1(SSL*, const unsigned char** out, unsigned char* size, const unsigned char* offered,
                 unsigned int offered_size, void*) {
  auto* chosen = const_cast<unsigned char**>(out);
  int found = SSL_select_next_proto(chosen, size, kHttp1, sizeof kHttp1 - 1, offered, offered_size);
  return found == OPENSSL_NPN_NEGOTIATED ? SSL_TLSEXT_ERR_OK : SSL_TLSEXT_ERR_ALERT_FATAL;
}

}  // namespace

Result<Authority> Authority::with(Owned<EVP_PKEY> key, Owned<X509> certificate) {
  ATOLL_TRY(Owned<EVP_PKEY> leaf_key, make_key());
  return Authority(std::move(key), std::move(certificate), std::move(leaf_key));
}

Result<Authority> Authority::make(Clock::time_point now) {
  ATOLL_TRY(std::string subject, new_subject());
  ATOLL_TRY(Owned<EVP_PKEY> key, make_key());
  ATOLL_TRY(Owned<X509> certificate,
            make_certificate({.subject = subject,
                              .key = key.get(),
                              .issuer = nullptr,
                              .signer = key.get(),
                              .from = now - kEarly,
                              .until = now + kAuthorityLife,
                              .extensions = {{NID_basic_constraints, "critical,CA:TRUE,pathlen:0"},
                                             {NID_key_usage, "critical,keyCertSign,cRLSign"},
                                             {NID_subject_key_identifier, "hash"}}}));
  return with(std::move(key), std::move(certificate));
}

Result<Authority> Authority::parse(std::string_view pem) {
  Owned<BIO> bio(BIO_new_mem_buf(pem.data(), static_cast<int>(pem.size())));
  if (!bio) return fail_openssl("read the authority's key");
  // No password: OpenSSL would ask for one on the terminal.
  char none[] = "";
  Owned<EVP_PKEY> key(PEM_read_bio_PrivateKey(bio.get(), nullptr, nullptr, none));
  Owned<X509> certificate(PEM_read_bio_X509(bio.get(), nullptr, nullptr, none));
  if (!key || !certificate || X509_check_private_key(certificate.get(), key.get()) != 1) {
    return fail_openssl("read the authority's key");
  }
  return with(std::move(key), std::move(certificate));
}

Result<std::string> Authority::pem() const {
  Owned<BIO> bio(BIO_new(BIO_s_secmem()));
  if (!bio ||
      PEM_write_bio_PrivateKey(bio.get(), key_.get(), nullptr, nullptr, 0, nullptr, nullptr) != 1 ||
      PEM_write_bio_X509(bio.get(), certificate_.get()) != 1) {
    return fail_openssl("write the authority's key");
  }
  return text_of(bio.get());
}

Result<std::string> Authority::certificate_pem() const {
  Owned<BIO> bio(BIO_new(BIO_s_mem()));
  if (!bio || PEM_write_bio_X509(bio.get(), certificate_.get()) != 1) {
    return fail_openssl("write the authority's certificate");
  }
  return text_of(bio.get());
}

Result<std::shared_ptr<SSL_CTX>> Authority::server_context(const std::string& name,
                                                           Clock::time_point now) {
  if (auto found = by_name_.find(name); found != by_name_.end()) {
    leaves_.splice(leaves_.begin(), leaves_, found->second);
    // A clock that was set back makes a leaf that is not valid yet.
    if (now < found->second->renew_at && now + kRenewAfter >= found->second->renew_at) {
      return found->second->context;
    }
    leaves_.pop_front();
    by_name_.erase(found);
  }
  ATOLL_TRY(std::shared_ptr<SSL_CTX> context, new_context(name, now));
  if (leaves_.size() == kKept) {
    by_name_.erase(leaves_.back().name);
    leaves_.pop_back();
  }
  leaves_.push_front({name, context, now + kRenewAfter});
  by_name_[name] = leaves_.begin();
  return context;
}

Result<std::shared_ptr<SSL_CTX>> Authority::new_context(const std::string& name,
                                                        Clock::time_point now) {
  ATOLL_TRY(Owned<X509> leaf,
            make_certificate({.subject = "Atoll",
                              .key = leaf_key_.get(),
                              .issuer = certificate_.get(),
                              .signer = key_.get(),
                              .from = now - kEarly,
                              .until = now + kLeafLife,
                              .extensions = {{NID_basic_constraints, "critical,CA:FALSE"},
                                             {NID_key_usage, "critical,digitalSignature"},
                                             {NID_ext_key_usage, "serverAuth"},
                                             {NID_authority_key_identifier, "keyid"},
                                             {NID_subject_alt_name, "DNS:" + name}}}));
  std::shared_ptr<SSL_CTX> context(SSL_CTX_new(TLS_server_method()), FreeOpenssl{});
  if (!context || SSL_CTX_set_min_proto_version(context.get(), TLS1_2_VERSION) != 1 ||
      SSL_CTX_use_certificate(context.get(), leaf.get()) != 1 ||
      SSL_CTX_use_PrivateKey(context.get(), leaf_key_.get()) != 1) {
    return fail_openssl("prepare TLS");
  }
  // No session cache: handshakes are cheap, and all sandboxes share the memory.
  SSL_CTX_set_session_cache_mode(context.get(), SSL_SESS_CACHE_OFF);
  SSL_CTX_set_options(context.get(),
                      SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION | SSL_OP_NO_TICKET);
  SSL_CTX_set_num_tickets(context.get(), 0);
  SSL_CTX_set_alpn_select_cb(context.get(), &choose_http1, nullptr);
  return context;
}

}  // namespace atl::egress
