package request

import (
	"cmp"
	"net/url"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// Readdress replaces each address of a server in the values of a header with what the
// function to returns for it, unless that is empty.
func Readdress(values []string, to func(*url.URL) string) {
	for i, v := range values {
		if !strings.Contains(v, "://") {
			continue
		}
		values[i] = address().ReplaceAllStringFunc(v, func(m string) string {
			text := strings.TrimPrefix(m, "<")
			u, err := url.Parse(text)
			if err != nil {
				return m
			}
			return m[:len(m)-len(text)] + cmp.Or(to(u), text)
		})
	}
}

// address matches the address of a server to which a header leads. The values of Location,
// Link (RFC 8288) and the like begin with one.
var address = memo.Regexp(`(?:^|<)https?://[^/?#<>"\s]+`)
