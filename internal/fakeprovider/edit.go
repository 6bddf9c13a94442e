package fakeprovider

import "slices"

// with returns a copy of an object with a member. A member of this name is
// replaced in its place.
func (o object) with(name string, value any) object {
	edited := slices.Clone(o)
	for i, f := range edited {
		if f.name == name {
			edited[i].value = value
			return edited
		}
	}
	return append(edited, field{name, value})
}

// without returns a copy of an object without members of these names.
func (o object) without(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(f field) bool {
		return slices.Contains(names, f.name)
	})
}
