#include "sandbox/conformance.hpp"
