package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/canon/chance"
	"github.com/promptecho/promptecho/internal/memo"
)

// kindOfSecretName returns what the value beside a name is, which is in lower case without "-"
// and "_"; noKind if nothing says that it is a secret.
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
	secret  bool // it may be one, by one of the name's words or by its end
	certain bool // it can only be a secret
	whole   bool // it may be one by its end, and nothing says that it is data: "token" and "app_key", not "tokenAddress" or "sellToken"
	data    bool // it says which thing is meant, or what of a secret: "message-key", "x-auth-email", "password_length"
	session bool // it is a session, which may be a login or a conversation
	cursor  bool // it is a place in a list: an answer gives it, and the request for the next page has it
}

// The names of headers, parameters and variables are few, and every request has the same.
var meanings = memo.Strings[meaning]{Func: meaningOf}

func meaningOf(name string) (m meaning) {
	all := words(name)
	joined := strings.Join(all, "")
	kind := kindOfSecretName(joined)
	m.secret = kind != noKind
	m.certain = kind != noKind && kind != namedCredential && !strings.HasSuffix(joined, "accountkey") // a customer's number
	m.cursor = slices.Contains(cursors, joined) || strings.HasPrefix(joined, "continuation")
	if m.cursor {
		return m // whatever its words are
	}
	endsInSecret := false
	for i, word := range all {
		m.data = m.data || slices.Contains(ofThings, word) && i < len(all)-1
		endsInSecret = false
		switch word {
		case "page", "next", "continuation", "sync", "cursor", "idempotency", "partition", "sort":
			return meaning{} // the caller's own name for a call, or the like
		case "password", "passwd", "pwd", "passphrase", "passcode":
			m.secret, m.certain, endsInSecret = true, true, true
		case "key", "apikey", "token", "secret", "auth", "authorization", "authentication", "cookie", "credential",
			"credentials", "signature", "sig", "jwt", "csrf", "xsrf", "ticket", "otp":
			m.secret, endsInSecret = true, true
		case "session", "sessionid", "sid":
			m.session = !listed(requestHeaders, strings.Join(all, "-")) // mcp-session-id: its client sends it back
		}
	}
	if len(all) > 1 && slices.Contains(ofSecrets, all[len(all)-1]) {
		m.data, m.certain = true, false
	}
	m.data = m.data && !m.certain
	m.whole = m.secret && !m.data && (endsInSecret || kind != noKind)
	return m
}

// requestHeaders may be written: they select what is answered or help a reader, and none
// can hold a secret. What decides a match is canon's business.
var requestHeaders = slices.Concat(strings.Fields(`*-beta anthropic-version api-revision content-type mcp-session-id
	x-amzn-bedrock-accept x-amzn-bedrock-agentcore-runtime-session-id x-amzn-bedrock-agentcore-runtime-user-id
	x-amzn-bedrock-guardrailidentifier x-amzn-bedrock-guardrailversion x-amzn-bedrock-performanceconfig-latency
	x-amzn-bedrock-trace x-amzn-sagemaker-*`), chance.ContentHeaders, chance.DeploymentHeaders)

// cursors are the names of places in lists, in lower case without marks.
var cursors = strings.Fields(`
	page pagetoken nextpage nextpagetoken nextpageurl prevpagetoken previouspagetoken pagestate
	next nexttoken nextlink nexturl nexturi odatanextlink nextmarker marker prev previous
	cursor nextcursor prevcursor previouscursor startcursor endcursor aftercursor beforecursor
	after before startingafter endingbefore startafter searchafter lastid firstid
	continue continuetoken nextcontinuationtoken synctoken nextsynctoken skiptoken scrollid
	resumptiontoken paginationtoken deltatoken prevtoken
	bookmark exclusivestartkey lastevaluatedkey`)

// words splits a name where neither a letter nor a digit stands and where its case rises.
func words(name string) []string {
	isMark := func(r rune) bool { return r < 0x80 && class[r]&alnum == 0 }
	return strings.FieldsFunc(strings.ToLower(caseRise().ReplaceAllString(name, "$1 $2")), isMark)
}

var caseRise = memo.Regexp(`([a-z])([A-Z])`)

// isSecret reports whether a header or parameter of this name holds a secret:
// "x-api-key", "accessToken" and "APIKEY" do, "keyword", "author" and "pageToken" do not.
func isSecret(name string) bool { return meanings.Get(name).secret }

// mayBeInQuery reports whether a parameter of a query of this name may hold a secret.
func mayBeInQuery(name string) bool {
	return isSecret(name) || strings.EqualFold(name, "code") || strings.EqualFold(name, "session")
}

// isCursor reports whether the value of a field or parameter of this name is a place in a
// list.
func isCursor(name string) bool { return meanings.Get(name).cursor }

// isCertain reports whether the value of a parameter of this name, sent to this host,
// can only be a secret: it is one whatever it looks like. A run without a key has "",
// "test" or "none" there.
func isCertain(name, host, value string) bool {
	if value == "true" || value == "false" {
		return false // "requires_api_key" asks a question
	}
	if meanings.Get(name).certain {
		return true
	}
	name = strings.ToLower(name)
	if name == "appid" && len(value) == 32 && runEnd(value, 0, hexAny) == 32 {
		return true // as OpenWeather's, whatever host stands before it
	}
	host, _, _ = strings.Cut(strings.ToLower(host), ":")
	return slices.ContainsFunc(keyNames, func(k hostName) bool { return name == k.name && strings.HasSuffix("."+host, "."+k.host) })
}

// listed reports whether name is on a list; an entry that ends in "*" stands for every name
// that starts so, one that starts with it for every name that ends so, one with both for
// every name with that in it.
func listed(list []string, name string) bool {
	return slices.ContainsFunc(list, func(entry string) bool {
		start, isStart := strings.CutSuffix(entry, "*")
		end, isEnd := strings.CutPrefix(entry, "*")
		if isStart && isEnd {
			return strings.Contains(name, strings.Trim(entry, "*"))
		}
		return entry == name || isStart && strings.HasPrefix(name, start) || isEnd && strings.HasSuffix(name, end)
	})
}
