package main

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"sort"
	"strconv"
	"strings"
	"unicode/utf8"
)

type object = map[string]any

// plain is a value as JSON has it.
func plain(value any) any {
	text, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

func at(value any, path string) any {
	if path == "" {
		return value
	}
	return along(value, strings.Split(path, "."))
}

func along(value any, names []string) any {
	if len(names) == 0 || value == nil {
		return value
	}
	switch one := value.(type) {
	case object:
		if names[0] == "*" {
			keys := make([]string, 0, len(one))
			for key := range one {
				keys = append(keys, key)
			}
			sort.Strings(keys)
			all := []any{}
			for _, key := range keys {
				all = append(all, along(one[key], names[1:]))
			}
			return all
		}
		return along(one[names[0]], names[1:])
	case []any:
		if names[0] == "*" {
			all := []any{}
			for _, element := range one {
				all = append(all, along(element, names[1:]))
			}
			return all
		}
		index, err := strconv.Atoi(names[0])
		if index < 0 {
			index += len(one)
		}
		if err != nil || index < 0 || index >= len(one) {
			return nil
		}
		return along(one[index], names[1:])
	}
	return nil
}

func holdsMembers(value any, members object) bool {
	has, ok := value.(object)
	for name, wanted := range members {
		ok = ok && reflect.DeepEqual(has[name], wanted)
	}
	return ok
}

func contains(value, wanted any) bool {
	switch one := value.(type) {
	case string:
		text, ok := wanted.(string)
		return ok && strings.Contains(one, text)
	case []any:
		return slices.ContainsFunc(one, func(element any) bool { return reflect.DeepEqual(element, wanted) })
	}
	members, ok := wanted.(object)
	return ok && holdsMembers(value, members)
}

func size(value any) float64 {
	switch one := value.(type) {
	case string:
		return float64(utf8.RuneCountInString(one))
	case []any:
		return float64(len(one))
	case object:
		return float64(len(one))
	}
	return -1
}

func holds(name string, value, wanted any) (bool, error) {
	number, isNumber := value.(float64)
	switch name {
	case "equals":
		return reflect.DeepEqual(value, wanted), nil
	case "not_equals":
		return !reflect.DeepEqual(value, wanted), nil
	case "contains":
		return contains(value, wanted), nil
	case "lacks":
		return !contains(value, wanted), nil
	case "matches":
		text, ok := value.(string)
		found, err := regexp.MatchString(wanted.(string), text)
		return ok && found, err
	case "length":
		return size(value) == wanted.(float64), nil
	case "at_least":
		return isNumber && number >= wanted.(float64), nil
	case "at_most":
		return isNumber && number <= wanted.(float64), nil
	case "one_of":
		return contains(wanted, value), nil
	case "present":
		return (value != nil) == wanted.(bool), nil
	}
	return false, fmt.Errorf("no such condition: %s", name)
}

// check is the first condition that does not hold.
func check(value any, conditions any) error {
	list, _ := conditions.([]any)
	for _, one := range list {
		condition := one.(object)
		path, _ := condition["path"].(string)
		found := at(value, path)
		for name, wanted := range condition {
			if name == "path" {
				continue
			}
			ok, err := holds(name, found, wanted)
			if err != nil {
				return err
			}
			if !ok {
				return fmt.Errorf("%q %s %.300s, but is %.300s", path, name, show(wanted), show(found))
			}
		}
	}
	return nil
}

func show(value any) string {
	text, _ := json.Marshal(value)
	return string(text)
}

var reference = regexp.MustCompile(`\$\$\{|\$\{([^}]+)\}`)

// filled is a value with its references replaced.
func filled(value any, saved object) any {
	switch one := value.(type) {
	case []any:
		out := []any{}
		for _, element := range one {
			out = append(out, filled(element, saved))
		}
		return out
	case object:
		out := object{}
		for name, element := range one {
			out[name] = filled(element, saved)
		}
		return out
	case string:
		if whole := reference.FindStringSubmatch(one); whole != nil && whole[0] == one && whole[1] != "" {
			return at(saved, whole[1])
		}
		return reference.ReplaceAllStringFunc(one, func(text string) string {
			if text == "$${" {
				return "${"
			}
			switch found := at(saved, text[2:len(text)-1]).(type) {
			case string:
				return found
			default:
				return show(found)
			}
		})
	}
	return value
}
