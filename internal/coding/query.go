package coding

import (
	"net/url"
	"strings"
)

// UnescapeQuery returns a name or a value of a query or a form as it reads. What is
// escaped wrongly is taken as it stands, after a NUL, which no URL holds: "%zz" is not
// what "%25zz" reads. A value that reads as starting with a NUL gets another.
func UnescapeQuery(s string) string {
	plain, err := url.QueryUnescape(s)
	if err != nil {
		return "\x00" + s
	}
	if strings.HasPrefix(plain, "\x00") {
		return "\x00" + plain
	}
	return plain
}
