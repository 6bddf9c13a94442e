package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/redact/carrier"
)

// A verdict says what a rule about the name and place of a value decides.
type verdict uint8

const (
	noVerdict       verdict = iota
	isCredential            // the value is a secret, whatever it looks like
	isAtSecretPlace         // the same, because of what the service is
	mayBeData               // two requests that differ in it are not the same: a hash is written
)

// harmlessNames are members of an object in whose other members secrets are.
var harmlessNames = strings.Fields("type managed_identity_resource_id content-type accept user-agent")

// fieldRule decides about a leaf by its name and place. The name is its own one:
// that of the last member around it.
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
	if len(f.scope.holders) > 0 {
		return f.placeRule(l, name)
	}
	return noVerdict
}

// formRule decides about a parameter of a form.
func (f *finder) formRule(l *carrier.Leaf) verdict {
	last := nestedName(l.Name)
	mayBeKey := l.In == carrier.Form && slices.Contains(keysInForm, strings.ToLower(last))
	if mayBeKey && isKey(l.Text) || slices.Contains(f.scope.fields.inForms, last) {
		return isCredential
	}
	return noVerdict
}

// nestedName returns the innermost name of a parameter of a form: "password" of
// "auth[password]", as Rails and PHP nest them.
func nestedName(name string) string {
	return strings.TrimSuffix(name[strings.LastIndexByte(name, '[')+1:], "]")
}

// placeRule decides by the places at which services and model APIs have secrets.
func (f *finder) placeRule(l *carrier.Leaf, name string) verdict {
	isHarmless := slices.ContainsFunc(harmlessNames, func(n string) bool { return strings.EqualFold(n, name) })
	if isHarmless || l.In != carrier.JSON {
		return noVerdict
	}
	for _, h := range f.scope.holders {
		i := slices.IndexFunc(h.places, func(place []string) bool { return hasPathSuffix(l.Path, place) })
		if i < 0 || h.looks && !isKey(l.Text) {
			continue
		}
		isAny := h.places[i][len(h.places[i])-1] == "*"
		if h.mixed && isAny && !isSecret(name) && !strings.EqualFold(name, "connection_string") {
			return mayBeData
		}
		return isAtSecretPlace
	}
	return noVerdict
}

// hasPathSuffix reports whether the last names of a path are these.
func hasPathSuffix(path, names []string) bool {
	isSame := func(name, wanted string) bool { return wanted == "*" || wanted == name }
	skip := len(path) - len(names)
	return skip >= 0 && slices.EqualFunc(path[skip:], names, isSame)
}

// isSecretByMember reports whether a value is a secret where the object around it says
// something else, too: parameters of AWS Systems Manager,
// https://docs.aws.amazon.com/systems-manager/latest/APIReference/API_Parameter.html,
// and what instance metadata has next to the key, the session token.
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

// fieldName returns the name of the field that has a leaf: the nearest one that
// does not only say that it names a value, and not more than one object away.
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
