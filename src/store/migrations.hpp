// The numbered files of migrations/, as they are in the program. A new one goes to the end of the
// list in migrate.cpp; one that was released is never changed.
#pragma once

#include <string_view>

namespace atl::store {

std::string_view migration_0001();
std::string_view migration_0002();
std::string_view migration_0003();
std::string_view migration_0004();
std::string_view migration_0005();
std::string_view migration_0006();
std::string_view migration_0007();
std::string_view migration_0008();
std::string_view migration_0009();
std::string_view migration_0010();
std::string_view migration_0011();

}  // namespace atl::store
