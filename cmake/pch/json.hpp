// Precompiled: tasks.hpp, and described structs as JSON.
#pragma once

#include <boost/describe/class.hpp>
#include <boost/describe/enum.hpp>
#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include "codec/json.hpp"
#include "tasks.hpp"
