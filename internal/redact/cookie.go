package redact

import "strings"

// HeaderOfAnswer returns what is written for the value of a header of an answer, and whether the
// header is a secret by its name: then all of the value is replaced. Of a cookie that is set, the
// name and the attributes stay, and the value keeps its length.
func (p *Policy) HeaderOfAnswer(name, value string) (written string, isSecretName bool) {
	answered := side{standIn: standIn}
	hide := p.learning(answered)
	switch {
	case strings.EqualFold(name, "set-cookie"):
		cookie, attributes, _ := strings.Cut(value, ";")
		cookie, secret, _ := strings.Cut(cookie, "=")
		written = hide([]byte(secret))
		if written == Placeholder {
			written += strings.Repeat("~", max(0, len(secret)-len(Placeholder)))
		}
		return strings.TrimSuffix(cookie+"="+written+";"+attributes, ";"), true
	case isSecret(name), meanings.Get(name).session && isKey(value):
		return hide([]byte(value)), true
	}
	return string(p.hideIn([]byte(value), answered)), false
}
