package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// isKey reports whether a value looks like a key or a password. It is asked for the values
// of names that have a secret in one API and data in another, such as "key" and "token".
//
//	"ghp_" and 36 letters and digits   yes: the format of a token
//	"f3Kq9ZrT2mXw"                     yes: a dozen random letters and digits
//	"correct$horse!"                   yes: two different marks, as in passwords
//	"users/42/photo.png"               no: a path
//	"2024-05-01", "gpt-4o", a UUID     no: replacing such data would let a recording
//	                                   match a different request
func isKey(v string) bool {
	// One mark is no evidence: a pattern has "|" or "^", JSON has quotes, a Windows path
	// has backslashes.
	hasMarksOfPassword := differentMarks(v) >= 2 && !strings.Contains(v, " ")
	if hasMarksOfPassword && len(v) >= minLearned {
		return true
	}
	if isPlain(v) || isPlaceholder(v) {
		return false
	}
	if isToken(v) {
		return true
	}
	if isUUID(v) || isPath(v) || ethereumAddress().MatchString(v) {
		return false
	}
	return hasRandom(v)
}

// differentMarks returns how many different characters of a value are marks that passwords
// have and most data do not: 2 for "a$b!c$".
func differentMarks(v string) int {
	n := 0
	for _, mark := range "\"\\!^<>|$%&" {
		if strings.ContainsRune(v, mark) {
			n++
		}
	}
	return n
}

// hasRandom reports whether a value has a run of a dozen letters and digits that is
// random.
func hasRandom(v string) bool {
	for _, run := range runs(v, alnum) {
		t := measure(run)
		percentOfText := 50
		if t.alnums >= 20 {
			percentOfText = 70 // a long run of lower case has words by chance
		}
		isLong := t.alnums >= 12
		isVaried := t.classChanges >= 3 && t.distinct >= 8
		isText := t.hasWords(percentOfText) || t.isSequence()
		if isLong && isVaried && !isText {
			return true
		}
	}
	return false
}

// ethereumAddress matches an address of Ethereum. It is public, and programs call it a
// token.
var ethereumAddress = memo.Regexp(`^0x[[:xdigit:]]{40}$`)

// isToken reports whether a value as a whole is what findPatterns finds.
func isToken(v string) bool {
	found := findPatterns(v)
	return len(found) == 1 && found[0].start == 0 && found[0].end == len(v)
}

// isFake reports whether a value says that it is a dummy of a secret, as tests have that
// run without one. A word like "test" alone does not: it may be data.
func isFake(v string) bool {
	all := words(strings.ToLower(v))
	has := func(list []string) bool {
		isListed := func(word string) bool { return slices.Contains(list, word) }
		return slices.ContainsFunc(all, isListed)
	}
	if saysFake().MatchString(v) || has(fakeSecrets) {
		return true
	}
	return has(fakeAdjectives) && has(secretNouns)
}

var (
	saysFake = memo.Regexp(`(?i)dummy|fake|placeholder|changeme|redacted|not[-_]?real|` +
		`promptecho-replay-|xxxx`)
	fakeSecrets = strings.Fields(`testkey testtoken yourkey yourapikey yourtoken yoursecret
		mykey myapikey`)
	fakeAdjectives = strings.Fields(`test testing your my example sample demo mock insert
		replace unused invalid ci`)
	secretNouns = strings.Fields("key apikey api token secret password credential credentials sk")
)

// looksGenerated reports whether a value looks random rather than written. A written value
// has words, which are long runs of lower case: the limit is higher where upper case and
// digits show that the value is not only words. It accepts more values than
// looksRandomAlone, since people make up passwords.
func looksGenerated(b string) bool {
	t := measure(b)
	longestLower := len(longestRun(b, lower))
	isVaried := t.distinct+t.marks >= 8
	switch {
	case !isVaried:
		return false
	case t.digits == 0:
		isAllUpper := t.uppers == len(b)
		isMixed := t.uppers >= 4 && len(b)-t.uppers >= 4
		return isAllUpper || isMixed && longestLower < 10
	case t.uppers == 0:
		return t.digits >= 4 && longestLower < 12
	}
	return longestLower < 16
}

// isModelName reports whether a text is a short name of several parts without upper case,
// such as that of a model ("gpt-4o-mini-2024-07-18"), and not hexadecimal.
func isModelName(text string) bool {
	hasParts := strings.ContainsAny(text, "-_.:/ ")
	isHexadecimal := runEnd(text, 0, hexAny|dash) == len(text)
	return len(text) < 28 && hasParts && !isHexadecimal && measure(text).uppers == 0
}

// looksSecret reports whether a value that was found in one place is a secret that other
// texts are searched for. What selects a response (a model, a deployment, a tool, a role,
// a path, a version) is not: if it were replaced, requests that differ in it would match.
// TestLooksSecret has samples.
//
// isCertain says that the place of the value can only have a credential, such as the
// Authorization header. Then the value may be a password that a person made up. In other
// places the value has to be unlike any text.
func looksSecret(v string, isCertain bool) bool {
	switch {
	case len(v) < minSecret || isSelector(v):
		return false
	case isCertain && len(v) >= minLearned:
		return isFake(v) || !isIdentifier(v)
	}
	return !isPlain(v) && isDistinctive(v)
}

// isSelector reports whether a value is the name of a model, a version, a date or a path.
func isSelector(v string) bool {
	isTime := strings.ContainsAny(v, "-:") && isPlain(v) &&
		strings.Trim(v, "0123456789-:.TtZz+ ") == ""
	if isTime || v[0] == '/' && isPath(v) {
		return true
	}
	return modelName().MatchString(v) || version().MatchString(v)
}

// isIdentifier reports whether a value is words of one case joined by marks, as the names
// of deployments and tools are: "get_current_weather", "chat-production-eu".
func isIdentifier(v string) bool { return identifier().MatchString(v) }

var (
	identifier = memo.Regexp(`^(?:[a-z]{2,16}(?:[._-][a-z]{2,16})+|` +
		`[A-Z]{2,16}(?:[._-][A-Z]{2,16})+|` +
		`[A-Z]?[a-z]{2,12}(?:[A-Z][a-z]{2,12})+)$`)

	version = memo.Regexp(`^v?\d{1,8}(?:[.-]\d{1,8}){0,4}` +
		`(?:[.-]?(?:alpha|beta|rc|preview|latest)[.-]?\d*)?$`)

	// modelName matches names of models as providers spell them, also behind the name of a
	// provider, a region or a fine-tuning: "openai/gpt-4o", "us.anthropic.claude-3-5-sonnet",
	// "ft:gpt-4o-mini:acme::abc".
	modelName = memo.Regexp(`(?i)^(?:[a-z0-9._-]+[/:.])*(?:meta-|chat)?` +
		`(?:gpt|o[1-9]|claude|gemini|gemma|grok|llama|codellama|mi[sx]tral|ministral|magistral|` +
		`codestral|devstral|pixtral|` +
		`qwen|qwq|deepseek|command|aya|nova|titan|phi|kimi|moonshot|glm|ernie|hunyuan|doubao|jamba|` +
		`sonar|palm|bison|davinci|curie|babbage|` +
		`text-(?:embedding|moderation|davinci)|omni-moderation|embed|rerank|whisper|tts|dall-e|sora|` +
		`imagen|veo|lyria|stable-?diffusion|dbrx|olmo|falcon|` +
		`mpt|vicuna|wizardlm|zephyr|nemotron|minimax|voyage|jina|nomic|computer-use|codex)` +
		`(?:[-_.:/ ]{0,2}[a-z0-9.]{1,12}){0,12}$`)
)

// isDistinctive reports whether a secret has digits or looks random, so that other texts
// can be searched for it. A secret of words would be found in texts that do not have it.
func isDistinctive(b string) bool {
	t := measure(b)
	switch {
	case len(b) >= minLearned:
		hasDigitsAndLetters := t.digits > 0 && t.alnums > t.digits
		return looksGenerated(b) || hasDigitsAndLetters && !isPlaceholder(b)
	case len(b) >= minSecret:
		hasAllClasses := t.digits > 0 && t.uppers > 0 && t.lowers > 0
		return hasAllClasses && !isPlaceholder(b)
	}
	return false
}
