// Checks arguments against the declaration; in C, where errors may be raised.
#include "luath_lua_internal.h"

// The function's name within its usage: "signIn" in "auth:signIn(proof)"; its length goes to `length`.
static const char *declared_name(const luath_function *function, size_t *length) {
  const char *end = strchr(function->usage, '(');
  const char *name = end;
  while (name > function->usage && name[-1] != ':' && name[-1] != '.') name--;
  *length = (size_t)(end - name);
  return name;
}

static int argument_error(
    lua_State *L, const luath_function *function, int index, const char *message) {
  // An assignment to a property: its usage is only a name.
  if (strchr(function->usage, '(') == NULL) {
    return luaL_error(L, "%s: %s", function->usage, message);
  }
  // The wording is luaL_argerror's, with the usage added.
  // In a call of a table, the script does not see the first argument, which is the table.
  if (function->called_table) index--;
  lua_Debug call;
  if (lua_getstack(L, 0, &call) && lua_getinfo(L, "n", &call) && call.name == NULL) {
    // Called by pcall or similar: Lua has no name and does not recognize a method call.
    size_t length;
    const char *name = declared_name(function, &length);
    if (name > function->usage && name[-1] == ':') index--;
    name = lua_pushlstring(L, name, length);
    if (index == 0) {
      return luaL_error(
          L, "calling '%s' on bad self (%s; usage: %s)", name, message, function->usage);
    }
    return luaL_error(
        L, "bad argument #%d to '%s' (%s; usage: %s)", index, name, message, function->usage);
  }
  return luaL_argerror(L, index, lua_pushfstring(L, "%s; usage: %s", message, function->usage));
}

static void refuse(lua_State *L, const luath_function *function, int index);

const char *luath_kind_name(lua_State *L, int index) {
  luath_object *object = luath_to_object(L, index);
  if (object != NULL) return object->type->name;
  if (lua_type(L, index) == LUA_TTABLE && luaL_getmetafield(L, index, "__name") == LUA_TSTRING) {
    return lua_tostring(L, -1);
  }
  return luaL_typename(L, index);
}

// Whether the bytes are UTF-8 (RFC 3629: shortest form, no surrogates, up to U+10FFFF).
static bool is_utf8(const unsigned char *text, size_t length) {
  size_t at = 0;
  while (at < length) {
    unsigned char first = text[at++];
    if (first < 0x80) continue;
    int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : 1;
    if (first < 0xC2 || first > 0xF4 || length - at < (size_t)more) return false;
    unsigned char second = text[at];
    if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) ||
        (first == 0xF0 && second < 0x90) || (first == 0xF4 && second > 0x8F)) {
      return false;
    }
    for (; more > 0; more--) {
      if ((text[at++] & 0xC0) != 0x80) return false;
    }
  }
  return true;
}

// Refuses strings that are not UTF-8: with bytes replaced silently, two passwords could become equal. [-0, +0, v]
static void check_text(lua_State *L, const luath_function *function, int argument, int index) {
  size_t length;
  const char *text = lua_tolstring(L, index, &length);
  if (is_utf8((const unsigned char *)text, length)) return;
  argument_error(L, function, argument, "text in UTF-8 expected, got a string with other bytes");
}

static bool fits_options(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index) {
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    const luath_parameter *field = NULL;
    if (lua_type(L, -2) == LUA_TSTRING) {
      size_t length;
      const char *key = lua_tolstring(L, -2, &length);
      for (int i = 0; i < parameter->field_count; i++) {
        const char *name = parameter->fields[i].name;
        // A key may contain NUL.
        if (strlen(name) == length && memcmp(name, key, length) == 0) field = &parameter->fields[i];
      }
    }
    if (field == NULL) {
      luaL_Buffer known;
      const char *key = luaL_tolstring(L, -2, NULL);
      luaL_buffinit(L, &known);
      for (int i = 0; i < parameter->field_count; i++) {
        if (i > 0) luaL_addstring(&known, ", ");
        luaL_addstring(&known, parameter->fields[i].name);
      }
      luaL_pushresult(&known);
      lua_pushfstring(L, "no option '%s' (known: %s)", key, lua_tostring(L, -1));
      refuse(L, function, argument);
    }
    if (!luath_fits(L, function, argument, field, lua_gettop(L))) {
      argument_error(
          L, function, argument,
          lua_pushfstring(
              L, "option '%s': %s expected, got %s", field->name, field->expected,
              luath_kind_name(L, -1)));
    }
    lua_pop(L, 1);
  }
  return true;
}

static bool fits_items(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index) {
  bool list = (parameter->kinds & LUATH_LIST) != 0;
  lua_Unsigned length = lua_rawlen(L, index);
  lua_pushnil(L);
  while (lua_next(L, index) != 0) {
    if (list) {
      lua_Integer key = lua_isinteger(L, -2) ? lua_tointeger(L, -2) : 0;
      if (key < 1 || (lua_Unsigned)key > length) {
        argument_error(
            L, function, argument,
            lua_pushfstring(
                L, "%s expected, got a table with the key '%s'", parameter->expected,
                luaL_tolstring(L, -2, NULL)));
      }
    } else if (lua_type(L, -2) != LUA_TSTRING) {
      argument_error(
          L, function, argument,
          lua_pushfstring(
              L, "%s expected, got a key that is a %s", parameter->expected,
              luaL_typename(L, -2)));
    } else {
      check_text(L, function, argument, -2);
    }
    if (!luath_fits(L, function, argument, parameter->item, lua_gettop(L))) {
      argument_error(
          L, function, argument,
          lua_pushfstring(
              L, "%s expected, got %s at '%s'", parameter->expected, luath_kind_name(L, -1),
              luaL_tolstring(L, -2, NULL)));
    }
    lua_pop(L, 1);
  }
  return true;
}

bool luath_fits(
    lua_State *L, const luath_function *function, int argument, const luath_parameter *parameter,
    int index) {
  uint32_t kinds = parameter->kinds;
  if (kinds & LUATH_ANY) return lua_type(L, index) != LUA_TNONE || parameter->optional;
  switch (lua_type(L, index)) {
    case LUA_TNONE:
    case LUA_TNIL:
      return parameter->optional || (kinds & LUATH_NIL);
    case LUA_TBOOLEAN:
      return kinds & LUATH_BOOLEAN;
    case LUA_TNUMBER: {
      int integral;
      if (kinds & LUATH_NUMBER) return true;
      if (!(kinds & LUATH_INTEGER)) return false;
      lua_tointegerx(L, index, &integral);
      return integral;
    }
    case LUA_TSTRING:
      if (kinds & LUATH_BYTES) return true;
      if (!(kinds & LUATH_STRING)) return false;
      check_text(L, function, argument, index);
      return true;
    case LUA_TFUNCTION:
      return kinds & LUATH_FUNCTION;
    case LUA_TTABLE:
      if (kinds & LUATH_TABLE) return true;
      if (kinds & (LUATH_LIST | LUATH_MAP | LUATH_OPTIONS)) {
        luaL_checkstack(L, 12, "too many nested values");
        int top = lua_gettop(L);
        bool good = (kinds & LUATH_OPTIONS) ? fits_options(L, function, argument, parameter, index)
                                            : fits_items(L, function, argument, parameter, index);
        lua_settop(L, top);
        return good;
      }
      return false;
    case LUA_TUSERDATA: {
      luath_object *object = luath_to_object(L, index);
      if (object == NULL || !(kinds & LUATH_OBJECT)) return false;
      for (int i = 0; i < parameter->class_count; i++) {
        if (parameter->classes[i] == object->type) return true;
      }
      return false;
    }
    default:
      return false;
  }
}

static const luath_label *find_label(lua_State *L, const luath_function *function, int key) {
  size_t length;
  if (lua_type(L, key) != LUA_TSTRING) return NULL;
  const char *name = lua_tolstring(L, key, &length);
  for (int i = 0; i < function->label_count; i++) {
    const luath_label *label = &function->labels[i];
    if (strlen(label->name) == length && memcmp(label->name, name, length) == 0) return label;
  }
  return NULL;
}

// Whether some key of the table at `index` is a label with a value, and no option of the parameter has that name.
static bool has_label(lua_State *L, const luath_function *function, int index) {
  const luath_parameter *parameter = &function->parameters[index - 1];
  bool found = false;
  lua_pushnil(L);
  while (!found && lua_next(L, index) != 0) {
    const luath_label *label = find_label(L, function, -2);
    // A class of providers has functions of such names.
    found = label != NULL && lua_type(L, -1) != LUA_TFUNCTION;
    for (int i = 0; found && i < parameter->field_count; i++) {
      if (strcmp(parameter->fields[i].name, label->name) == 0) found = false;
    }
    lua_pop(L, found ? 2 : 1);
  }
  return found;
}

// Whether the table at `index` is empty, as `{ with = nil }` is.
static bool is_empty(lua_State *L, int index) {
  lua_pushnil(L);
  if (lua_next(L, index) == 0) return true;
  lua_pop(L, 2);
  return false;
}

// Replaces the only argument, a table with labels, by the arguments that the labels name.
// [-1, +(parameter_count - index + 1), v]
static void spread_labels(lua_State *L, const luath_function *function, int index) {
  luaL_checkstack(L, function->parameter_count + 12, "too many arguments");
  int base = index;  // the table stays below the arguments until the end
  for (int place = index; place <= function->parameter_count; place++) lua_pushnil(L);
  lua_newtable(L);
  int options = lua_gettop(L);
  int owner = 0;
  lua_pushnil(L);
  while (lua_next(L, base) != 0) {
    const luath_label *label = find_label(L, function, -2);
    if (label == NULL) {
      luaL_Buffer known;
      const char *key = luaL_tolstring(L, -2, NULL);
      luaL_buffinit(L, &known);
      for (int i = 0; i < function->label_count; i++) {
        if (i > 0) luaL_addstring(&known, ", ");
        luaL_addstring(&known, function->labels[i].name);
      }
      luaL_pushresult(&known);
      argument_error(
          L, function, index,
          lua_pushfstring(L, "no label '%s' (known: %s)", key, lua_tostring(L, -1)));
    }
    if (label->field != NULL) {
      owner = label->argument;
      lua_setfield(L, options, label->field);
    } else {
      // One slot further, as the table is below the arguments.
      lua_replace(L, label->argument + 1);
    }
  }
  if (owner > 0) {
    if (!lua_isnil(L, owner + 1)) {
      argument_error(L, function, index, "labels of the argument and of its options exclude each other");
    }
    lua_replace(L, owner + 1);
  }
  lua_settop(L, options - 1);
  lua_remove(L, base);
}

const uint32_t luath_plain_kinds[LUA_NUMTYPES + 1] = {
    [LUA_TNIL + 1] = LUATH_NIL,       [LUA_TBOOLEAN + 1] = LUATH_BOOLEAN,
    [LUA_TNUMBER + 1] = LUATH_NUMBER, [LUA_TSTRING + 1] = LUATH_BYTES,
    [LUA_TTABLE + 1] = LUATH_TABLE,   [LUA_TFUNCTION + 1] = LUATH_FUNCTION,
};

// The functions below are kept out of the usual call, which consists of few instructions.

// Raises the message on top, with what the host advises about this argument. [-1, +0, v]
static void refuse(lua_State *L, const luath_function *function, int index) {
  luath_host *host = luath_host_of(L);
  lua_Debug call;
  // In `pcall(auth.signIn, …)` Lua does not know how the function was called.
  bool isNamed = lua_getstack(L, 0, &call) && lua_getinfo(L, "n", &call) && call.name != NULL;
  if (host->explain != NULL && (index > 1 || isNamed)) {
    host->inside++;
    bool explained = host->explain(L, function->binding, index);
    host->inside--;
    if (explained) lua_pushfstring(L, "%s; %s", lua_tostring(L, -2), lua_tostring(L, -1));
  }
  argument_error(L, function, index, lua_tostring(L, -1));
}

__attribute__((cold, noinline)) static void refuse_argument(
    lua_State *L, const luath_function *function, int index) {
  lua_pushfstring(
      L, "%s expected, got %s", function->parameters[index - 1].expected,
      index > lua_gettop(L) ? "no value" : luath_kind_name(L, index));
  refuse(L, function, index);
}

__attribute__((cold)) void luath_refuse_extra(
    lua_State *L, const luath_function *function) {
  int index = function->parameter_count + 1;
  lua_pushfstring(L, "no value expected, got %s", luaL_typename(L, index));
  refuse(L, function, index);
}

void luath_check_closely(
    lua_State *L, const luath_function *function, int index) {
  if (function->label_count > 0 && lua_type(L, index) == LUA_TTABLE &&
      function->labels[0].argument == index && has_label(L, function, index)) {
    int last = lua_gettop(L);
    if (last > index && lua_type(L, last) == LUA_TFUNCTION) {
      lua_pushliteral(L, "no function expected after a table with labels");
      refuse(L, function, last);
    }
    if (last == index) spread_labels(L, function, index);
  } else if (function->label_count > 0 && lua_type(L, index) == LUA_TTABLE &&
             function->labels[0].argument == index && lua_gettop(L) == index &&
             function->parameters[index - 1].class_count > 0 && is_empty(L, index) &&
             !luath_fits(L, function, index, &function->parameters[index - 1], index)) {
    // All labels are nil.
    spread_labels(L, function, index);
  }
  if (!luath_fits(L, function, index, &function->parameters[index - 1], index)) {
    refuse_argument(L, function, index);
  }
}
