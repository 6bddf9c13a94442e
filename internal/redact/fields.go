package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// A verdict is what the name and the place of a value say about it.
type verdict uint8

const (
	noVerdict       verdict = iota // nothing; the value may still look like a secret
	isCredential                   // the value is a secret, whatever it looks like
	isAtSecretPlace                // the same, because the API has secrets at this place
	mayBeData                      // the value may distinguish requests: a hash is written
)

// harmlessNames are members that have no secrets, in objects whose other members have.
var harmlessNames = strings.Fields(
	"type managed_identity_resource_id content-type accept user-agent")

// fieldRule returns the verdict on a leaf by its name and place. The name is that of
// lastName.
func (f *finder) fieldRule(l *carrier.Leaf, name string) verdict {
	if l.In == carrier.Form || l.In == carrier.Part {
		return f.formRule(l)
	}
	if l.In == carrier.Query {
		return noVerdict
	}
	if isSecretByMember(l) || slices.Contains(f.scope.fields.inBodies, fieldName(l)) {
		return isCredential
	}
	if len(f.scope.secretBodies) > 0 {
		return f.placeRule(l, name)
	}
	return noVerdict
}

// formRule returns the verdict on a parameter of a form.
func (f *finder) formRule(l *carrier.Leaf) verdict {
	name := nestedName(l.Name)
	if slices.Contains(f.scope.fields.inForms, name) {
		return isCredential
	}
	mayBeKey := l.In == carrier.Form && slices.Contains(keysInForm, strings.ToLower(name))
	if mayBeKey && isKey(l.Text) {
		return isCredential
	}
	return noVerdict
}

// nestedName returns the innermost name of a form parameter. Rails and PHP nest names: that
// of "auth[password]" is "password".
func nestedName(name string) string {
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '[')+1:], "]")
}

// placeRule returns the verdict on a leaf of JSON by the places at which APIs have secrets.
func (f *finder) placeRule(l *carrier.Leaf, name string) verdict {
	isName := func(harmless string) bool { return strings.EqualFold(harmless, name) }
	if l.In != carrier.JSON || slices.ContainsFunc(harmlessNames, isName) {
		return noVerdict
	}
	isPlaceOfLeaf := func(place []string) bool { return hasPathSuffix(l.Path, place) }
	for _, body := range f.scope.secretBodies {
		i := slices.IndexFunc(body.places, isPlaceOfLeaf)
		if i < 0 || body.onlyKeys && !isKey(l.Text) {
			continue
		}
		place := body.places[i]
		hasAnyName := place[len(place)-1] == "*"
		isNamedSecret := isSecret(name) || strings.EqualFold(name, "connection_string")
		if body.mayHaveData && hasAnyName && !isNamedSecret {
			return mayBeData
		}
		return isAtSecretPlace
	}
	return noVerdict
}

// hasPathSuffix reports whether a path ends in names. The name "*" matches any name.
func hasPathSuffix(path, names []string) bool {
	matchesName := func(name, wanted string) bool { return wanted == "*" || wanted == name }
	skip := len(path) - len(names)
	return skip >= 0 && slices.EqualFunc(path[skip:], names, matchesName)
}

// isSecretByMember reports whether a value is a secret because its object has a certain
// other member:
//
//	the value  the other member         the object
//	"Value"    "Type": "SecureString"   a parameter of AWS Systems Manager [1]
//	"Token"    "SecretAccessKey"        the credentials in AWS instance metadata
//
// [1]: https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_Parameter.html
func isSecretByMember(l *carrier.Leaf) bool {
	switch l.Name {
	case "Value":
		kind, _ := l.Member("Type")
		return kind == "SecureString"
	case "Token":
		_, hasKey := l.Member("SecretAccessKey")
		return hasKey
	}
	return false
}

// fieldName returns the name of the field that has a leaf as its value. A leaf may be a
// member such as "value" of an object; then it is the name of the object.
func fieldName(l *carrier.Leaf) string {
	if len(l.Path) == 0 || !carrier.IsValueName(l.Name) {
		return l.Name
	}
	for i := len(l.Path) - 1; i >= 0; i-- {
		name := l.Path[i]
		if name != "" && !carrier.IsValueName(name) {
			return name
		}
	}
	return l.Name
}
