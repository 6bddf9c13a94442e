package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/memo"
)

// kindOfSecretName returns the kind of secret that a name says, or noKind. The name is in
// lower case and has no "-" and "_".
func kindOfSecretName(name string) kind {
	for _, s := range secretNames {
		if slices.ContainsFunc(s.ends, func(end string) bool { return strings.HasSuffix(name, end) }) {
			return s.kind
		}
	}
	return noKind
}

// A meaning is what the name of a header, a parameter or a variable says of its value.
type meaning struct {
	secret  bool // the value may be a secret
	certain bool // the value can only be a secret
	data    bool // the name has a word of data: "message-key", "x-auth-email", "password_length"
	session bool // the value is a session: of a login, which is a secret, or of a conversation
	cursor  bool // the value is a cursor, which a response gives for the request of the next page

	// whole says that the end of the name is that of a secret, and no word of the name is
	// one of data: "token" and "app_key", but not "tokenAddress" and "sellToken".
	whole bool
}

// meanings remembers the results of meaningOf: programs use few names, and each request
// has the same ones.
var meanings = memo.Strings[meaning]{Func: meaningOf}

// meaningOf returns the meaning of a name.
func meaningOf(name string) (m meaning) {
	all := words(name)
	joined := strings.Join(all, "")
	kind := kindOfSecretName(joined)
	m.secret = kind != noKind
	mayBeCustomer := strings.HasSuffix(joined, "accountkey")
	m.certain = kind != noKind && kind != namedCredential && !mayBeCustomer
	m.cursor = slices.Contains(cursors, joined) || strings.HasPrefix(joined, "continuation")
	if m.cursor {
		return m
	}

	endsInSecret := false // the last word is that of a secret
	for i, word := range all {
		isLast := i == len(all)-1
		m.data = m.data || slices.Contains(ofThings, word) && !isLast
		endsInSecret = false
		switch word {
		case "page", "next", "continuation", "sync", "cursor", "idempotency", "partition", "sort":
			return meaning{} // the key of a call, a page or a table, which the caller has made up
		case "password", "passwd", "pwd", "passphrase", "passcode":
			m.secret = true
			m.certain = true
			endsInSecret = true
		case "key", "apikey", "token", "secret", "auth", "authorization", "authentication",
			"cookie", "credential", "credentials", "signature", "sig", "jwt", "csrf", "xsrf",
			"ticket", "otp":
			m.secret = true
			endsInSecret = true
		case "session", "sessionid", "sid":
			// The client sends mcp-session-id back, so it must stay as it is.
			m.session = !isListed(requestHeaders, strings.Join(all, "-"))
		}
	}
	isAboutSecret := len(all) > 1 && slices.Contains(ofSecrets, all[len(all)-1])
	if isAboutSecret {
		m.data = true
		m.certain = false
	}
	m.data = m.data && !m.certain
	m.whole = m.secret && !m.data && (endsInSecret || kind != noKind)
	return m
}

// requestHeaders are the headers of requests that are written. They select the response
// or help a reader, and none can have a secret. Package canon decides which of them
// matter for a match.
var requestHeaders = slices.Concat(strings.Fields(`*-beta anthropic-version api-revision
	content-type mcp-session-id x-amzn-bedrock-accept x-amzn-bedrock-agentcore-runtime-session-id
	x-amzn-bedrock-agentcore-runtime-user-id x-amzn-bedrock-guardrailidentifier
	x-amzn-bedrock-guardrailversion x-amzn-bedrock-performanceconfig-latency x-amzn-bedrock-trace
	x-amzn-sagemaker-*`), chance.ContentHeaders, chance.DeploymentHeaders)

// cursors are the names of cursors, in lower case and without marks.
var cursors = strings.Fields(`
	page pagetoken nextpage nextpagetoken nextpageurl prevpagetoken previouspagetoken pagestate
	next nexttoken nextlink nexturl nexturi odatanextlink nextmarker marker prev previous
	cursor nextcursor prevcursor previouscursor startcursor endcursor aftercursor beforecursor
	after before startingafter endingbefore startafter searchafter lastid firstid
	continue continuetoken nextcontinuationtoken synctoken nextsynctoken skiptoken scrollid
	resumptiontoken paginationtoken deltatoken prevtoken
	bookmark exclusivestartkey lastevaluatedkey`)

// words returns the words of a name in lower case. A word ends before a character that is
// neither a letter nor a digit, and before an upper-case letter behind a lower-case one.
func words(name string) []string {
	isMark := func(r rune) bool { return r < 0x80 && class[r]&alnum == 0 }
	return strings.FieldsFunc(strings.ToLower(caseRise().ReplaceAllString(name, "$1 $2")), isMark)
}

var caseRise = memo.Regexp(`([a-z])([A-Z])`)

// isSecret reports whether a header or parameter of this name may have a secret, such as
// "x-api-key", "accessToken" and "APIKEY", but not "keyword", "author" and "pageToken".
func isSecret(name string) bool { return meanings.Get(name).secret }

// mayBeInQuery reports whether a query parameter of this name may have a secret.
func mayBeInQuery(name string) bool {
	return isSecret(name) || strings.EqualFold(name, "code") || strings.EqualFold(name, "session")
}

// isCursor reports whether the value of a field or parameter of this name is a cursor.
func isCursor(name string) bool { return meanings.Get(name).cursor }

// isCertain reports whether a parameter of this name in a request to this host can only
// have a secret, whatever the value looks like. A test without a key sends "", "test" or
// "none" there.
func isCertain(name, host, value string) bool {
	if value == "true" || value == "false" {
		return false // as of "requires_api_key"
	}
	if meanings.Get(name).certain {
		return true
	}
	name = strings.ToLower(name)
	isOpenWeatherKey := name == "appid" && len(value) == 32 && runEnd(value, 0, hexAny) == 32
	if isOpenWeatherKey {
		return true // of any host, since there may be a gateway
	}
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	return slices.ContainsFunc(keyNames, func(k hostName) bool {
		return name == k.name && strings.HasSuffix("."+host, "."+k.host)
	})
}

// isListed reports whether a name is on a list. An entry may have a "*" at its start, at
// its end or at both, which matches any text there.
func isListed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		prefix, anyEnd := strings.CutSuffix(entry, "*")
		suffix, anyStart := strings.CutPrefix(entry, "*")
		switch {
		case anyStart && anyEnd:
			return strings.Contains(name, strings.Trim(entry, "*"))
		case anyEnd:
			return strings.HasPrefix(name, prefix)
		case anyStart:
			return strings.HasSuffix(name, suffix)
		}
		return entry == name
	})
}
