// Swift objects in Lua: userdata with declared methods and properties.
#include "luath_lua_internal.h"

#include <stdlib.h>

const char luath_object_magic;
static const char known_objects;

luath_object *luath_to_object(lua_State *L, int index) {
  if (lua_type(L, index) != LUA_TUSERDATA) return NULL;
  if (lua_rawlen(L, index) != sizeof(luath_object)) return NULL;
  luath_object *object = lua_touserdata(L, index);
  return object->magic == &luath_object_magic ? object : NULL;
}

// Lua runs no finalizer of an object that is made while it closes (lgc.c, luaC_checkfinalizer), and its userdata is
// gone when lua_close returns. So its reference is kept here, unless a script calls the finalizer itself.
struct luath_late_object {
  struct luath_late_object *next;
  const luath_class *type;
  void *reference;
};

static void remember_late_object(luath_host *host, luath_object *object) {
  struct luath_late_object *late = malloc(sizeof *late);
  if (late == NULL) return;  // the reference leaks
  *late = (struct luath_late_object){host->late, object->type, object->reference};
  host->late = object->late = late;
}

void luath_release_late_objects(luath_host *host) {
  while (host->late != NULL) {
    struct luath_late_object *late = host->late;
    host->late = late->next;
    if (late->reference != NULL) late->type->release(late->reference);
    free(late);
  }
}

static int collect(lua_State *L) {
  luath_object *object = luath_to_object(L, 1);
  if (object != NULL && object->reference != NULL) {
    if (object->late != NULL) object->late->reference = NULL;
    // Lua may run this while the state is half closed, so only release the reference.
    object->type->release(object->reference);
    object->reference = NULL;
  }
  return 0;
}

static int same_object(lua_State *L) {
  luath_object *left = luath_to_object(L, 1), *right = luath_to_object(L, 2);
  lua_pushboolean(
      L, left != NULL && right != NULL && left->type == right->type &&
             left->reference == right->reference);
  return 1;
}

static luath_object *self_of(lua_State *L) {
  luath_object *object = luath_to_object(L, 1);
  const luath_class *type = lua_touserdata(L, lua_upvalueindex(1));
  if (object == NULL || object->type != type) luaL_typeerror(L, 1, type->name);
  return object;
}

static int unknown_field(lua_State *L, luath_object *object, bool writing) {
  const char *name = luaL_tolstring(L, 2, NULL);
  luath_host *host = luath_host_of(L);
  host->inside++;
  object->type->unknown_field(L, object->type->context, name, writing);
  host->inside--;
  return luath_raise_error(L);
}

int luath_index_object(lua_State *L) {
  luath_object *object = self_of(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) != LUA_TNIL) return 1;
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(3)) == LUA_TNIL) return unknown_field(L, object, false);
  luath_property *property = lua_touserdata(L, -1);
  if (property->stored) {
    luath_push_stored_property(L, 1, property->name);
    return 1;
  }
  luath_host *host = luath_host_of(L);
  lua_settop(L, 1);
  host->inside++;
  int answer = property->get->invoke(L, property->get->binding);
  host->inside--;
  return luath_settle(L, host, property->get, answer);
}

static int assign_object(lua_State *L) {
  luath_object *object = self_of(L);
  lua_pushvalue(L, 2);
  if (lua_rawget(L, lua_upvalueindex(2)) == LUA_TNIL) return unknown_field(L, object, true);
  luath_property *property = lua_touserdata(L, -1);
  if (property->set == NULL) {
    return luaL_error(L, "%s.%s is read only", object->type->name, property->name);
  }
  const luath_parameter *parameter = &property->set->parameters[1];
  lua_settop(L, 3);
  if (!luath_fits(L, property->set, 3, parameter, 3)) {
    return luaL_error(
        L, "%s.%s: %s expected, got %s", object->type->name, property->name, parameter->expected,
        luath_kind_name(L, 3));
  }
  lua_remove(L, 2);  // now self, value
  luath_host *host = luath_host_of(L);
  host->inside++;
  int answer = property->set->invoke(L, property->set->binding);
  host->inside--;
  if (answer >= 0 && property->stored) {
    lua_settop(L, 2);
    luath_store_property(L, 1, property->name);
  }
  return luath_settle(L, host, property->set, answer >= 0 ? 0 : answer);
}

void luath_store_property(lua_State *L, int object, const char *name) {
  object = lua_absindex(L, object);
  if (lua_getiuservalue(L, object, 1) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_createtable(L, 0, 4);
    lua_pushvalue(L, -1);
    lua_setiuservalue(L, object, 1);
  }
  lua_insert(L, -2);
  lua_pushstring(L, name);
  lua_insert(L, -2);
  lua_rawset(L, -3);
  lua_pop(L, 1);
}

void luath_push_stored_property(lua_State *L, int object, const char *name) {
  if (lua_getiuservalue(L, object, 1) != LUA_TTABLE) {
    lua_pop(L, 1);
    lua_pushnil(L);
    return;
  }
  lua_pushstring(L, name);
  lua_rawget(L, -2);
  lua_remove(L, -2);
}

void luath_register_class(
    lua_State *L, const luath_class *type, luath_property *properties, int property_count) {
  int methods = lua_gettop(L);
  lua_createtable(L, 0, 8);
  int metatable = lua_gettop(L);
  lua_pushstring(L, type->name);
  lua_setfield(L, metatable, "__name");
  lua_pushcfunction(L, collect);
  lua_setfield(L, metatable, "__gc");
  // Most classes get a new userdata for each push; all userdata of one object are equal.
  lua_pushcfunction(L, same_object);
  lua_setfield(L, metatable, "__eq");
  // Scripts get the class's name instead of the metatable.
  lua_pushstring(L, type->name);
  lua_setfield(L, metatable, "__metatable");
  if (type->describe != NULL) {
    luath_push_function(L, type->describe);
    lua_setfield(L, metatable, "__tostring");
  }
  if (type->close != NULL) {
    luath_push_function(L, type->close);
    lua_setfield(L, metatable, "__close");
  }
  lua_createtable(L, 0, property_count);
  for (int i = 0; i < property_count; i++) {
    lua_pushlightuserdata(L, &properties[i]);
    lua_setfield(L, -2, properties[i].name);
  }
  int fields = lua_gettop(L);
  lua_pushlightuserdata(L, (void *)type);
  lua_pushvalue(L, methods);
  lua_pushvalue(L, fields);
  lua_pushcclosure(L, luath_index_object, 3);
  lua_setfield(L, metatable, "__index");
  lua_pushlightuserdata(L, (void *)type);
  lua_pushvalue(L, fields);
  lua_pushcclosure(L, assign_object, 2);
  lua_setfield(L, metatable, "__newindex");
  lua_pushvalue(L, metatable);
  lua_rawsetp(L, LUA_REGISTRYINDEX, type);
  lua_settop(L, methods - 1);
}

// Pushes the weak table from references to the only userdata of each. [-0, +1, m]
static void push_known_objects(lua_State *L) {
  if (lua_rawgetp(L, LUA_REGISTRYINDEX, &known_objects) == LUA_TTABLE) return;
  lua_pop(L, 1);
  lua_createtable(L, 0, 8);
  lua_createtable(L, 0, 1);
  lua_pushliteral(L, "__mode");
  lua_pushliteral(L, "v");
  lua_rawset(L, -3);
  lua_setmetatable(L, -2);
  lua_pushvalue(L, -1);
  lua_rawsetp(L, LUA_REGISTRYINDEX, &known_objects);
}

bool luath_push_known_object(lua_State *L, const luath_class *type, void *reference) {
  push_known_objects(L);
  // Lua removes a userdata from the table before its finalizer releases the reference (manual 2.5.4), except while it
  // closes. So a reused address finds the userdata of an older object only then, and with no reference.
  lua_rawgetp(L, -1, reference);
  lua_remove(L, -2);
  luath_object *object = luath_to_object(L, -1);
  if (object != NULL && object->type == type && object->reference == reference) return true;
  lua_pop(L, 1);
  return false;
}

void luath_remember_object(lua_State *L) {
  luath_object *object = luath_to_object(L, -1);
  push_known_objects(L);
  lua_pushvalue(L, -2);
  lua_rawsetp(L, -2, object->reference);
  lua_pop(L, 1);
}

void luath_push_object(lua_State *L, const luath_class *type, void *reference) {
  luath_object *object = lua_newuserdatauv(L, sizeof *object, 1);
  object->magic = &luath_object_magic;
  object->type = type;
  object->reference = reference;
  object->late = NULL;
  lua_rawgetp(L, LUA_REGISTRYINDEX, type);
  lua_setmetatable(L, -2);
  luath_host *host = luath_host_of(L);
  if (host->closing) remember_late_object(host, object);
}
