package redact

import (
	"slices"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// isKey reports whether the value of a parameter that can be a secret or data ("key" is
// both) looks like a key: it has the format of one, a run of a dozen random letters and
// digits, or marks as passwords have. What is a path, a name, a date or a UUID is none,
// however long and however it was made: a wrong recording would answer for it.
func isKey(v string) bool {
	b := v
	marks := 0
	for _, c := range "\"\\!^<>|$%&" { // a pattern, a path or JSON has one of them
		if strings.ContainsRune(v, c) {
			marks++
		}
	}
	if marks >= 2 && len(v) >= minLearned && !strings.Contains(v, " ") {
		return true
	}
	if isPlain(v) || isPlaceholder(b) {
		return false
	}
	if isToken(v) {
		return true
	}
	if isUUID(b) || isPath(v) || ethereumAddress().MatchString(v) {
		return false
	}
	return hasRandom(v)
}

// hasRandom reports whether a value has a run of a dozen random letters and digits.
func hasRandom(v string) bool {
	for _, part := range runs(v, alnum) {
		t := measure(part)
		most := 50 // percent of words
		if t.alnums >= 20 {
			most = 70 // in lower case they come by chance
		}
		if t.alnums >= 12 && t.classChanges >= 3 && t.distinct >= 8 && t.inWords*100 < t.alnums*most && t.closePairs*100 < t.alnums*45 {
			return true
		}
	}
	return false
}

// ethereumAddress matches an address of Ethereum, which is public, and which programs call a token.
var ethereumAddress = memo.Regexp(`^0x[[:xdigit:]]{40}$`)

// isToken reports whether all of a value looks like a secret.
func isToken(v string) bool {
	found := findPatterns(v)
	return len(found) == 1 && found[0].start == 0 && found[0].end == len(v)
}

// isFake reports whether a value says that it stands for a secret: what runs without one
// have. A word like "test" alone does not say it, it may be data.
func isFake(v string) bool {
	all := words(strings.ToLower(v))
	has := func(list []string) bool {
		return slices.ContainsFunc(all, func(word string) bool { return slices.Contains(list, word) })
	}
	return saysFake().MatchString(v) || has(fakeSecrets) || has(fakeAdjectives) && has(secretNouns)
}

var (
	saysFake       = memo.Regexp(`(?i)dummy|fake|placeholder|changeme|redacted|not[-_]?real|promptecho-replay-|xxxx`)
	fakeSecrets    = strings.Fields("testkey testtoken yourkey yourapikey yourtoken yoursecret mykey myapikey")
	fakeAdjectives = strings.Fields("test testing your my example sample demo mock insert replace unused invalid ci")
	secretNouns    = strings.Fields("key apikey api token secret password credential credentials sk")
)

// looksGenerated reports whether the value of a variable looks random and not like
// written: words and names joined by marks have long runs of lower-case letters. It takes
// more for random than looksRandomAlone does, since people make passwords up.
func looksGenerated(b string) bool {
	t := measure(b)
	letters := len(longestRun(b, lower))
	switch {
	case t.distinct+t.marks < 8:
		return false
	case t.digit == 0:
		return t.upper >= 4 && len(b)-t.upper >= 4 && letters < 10 || t.upper == len(b)
	case t.upper == 0:
		return t.digit >= 4 && letters < 12
	}
	return letters < 16
}

// isModelName reports whether a text is a name made of words and numbers, such as that of
// a model ("gpt-4o-mini-2024-07-18"): no upper-case letter, several parts, and not all
// hexadecimal.
func isModelName(text string) bool {
	return len(text) < 28 && strings.ContainsAny(text, "-_.:/ ") && measure(text).upper == 0 &&
		runEnd(text, 0, hexAny|dash) < len(text)
}

// looksSecret reports whether a value that was learned in one place is looked for in
// others. It has to look like a secret by itself: what requests select (a model, a
// deployment, a tool, a role, a path, a version) must not be replaced, or requests that
// differ in it would be the same. TestLooksSecret has samples.
//
// A value is certain if its place can only have a credential, as the Authorization header of
// a request. Then it may be a password that a person made up. In other places it has to be
// unlike any text.
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
	isTime := strings.ContainsAny(v, "-:") && isPlain(v) && strings.Trim(v, "0123456789-:.TtZz+ ") == ""
	isRooted := v[0] == '/' && isPath(v)
	return modelName().MatchString(v) || version().MatchString(v) || isTime || isRooted
}

// isIdentifier reports whether a value is made of words of one case, joined by marks, as names
// of deployments and tools are: "get_current_weather", "chat-production-eu".
func isIdentifier(v string) bool { return identifier().MatchString(v) }

var (
	identifier = memo.Regexp(`^(?:[a-z]{2,16}(?:[._-][a-z]{2,16})+|[A-Z]{2,16}(?:[._-][A-Z]{2,16})+|[A-Z]?[a-z]{2,12}(?:[A-Z][a-z]{2,12})+)$`)

	version = memo.Regexp(`^v?\d{1,8}(?:[.-]\d{1,8}){0,4}(?:[.-]?(?:alpha|beta|rc|preview|latest)[.-]?\d*)?$`)

	// modelName matches names of models as providers spell them, also behind the name of a
	// provider, a region or a fine-tuning: "openai/gpt-4o", "us.anthropic.claude-3-5-sonnet",
	// "ft:gpt-4o-mini:acme::abc".
	modelName = memo.Regexp(`(?i)^(?:[a-z0-9._-]+[/:.])*(?:meta-|chat)?(?:gpt|o[1-9]|claude|gemini|gemma|grok|llama|codellama|mi[sx]tral|ministral|magistral|codestral|devstral|pixtral|` +
		`qwen|qwq|deepseek|command|aya|nova|titan|phi|kimi|moonshot|glm|ernie|hunyuan|doubao|jamba|sonar|palm|bison|davinci|curie|babbage|` +
		`text-(?:embedding|moderation|davinci)|omni-moderation|embed|rerank|whisper|tts|dall-e|sora|imagen|veo|lyria|stable-?diffusion|dbrx|olmo|falcon|` +
		`mpt|vicuna|wizardlm|zephyr|nemotron|minimax|voyage|jina|nomic|computer-use|codex)(?:[-_.:/ ]{0,2}[a-z0-9.]{1,12}){0,12}$`)
)

// isDistinctive reports whether a secret can be looked for elsewhere: it has digits, or looks
// random. Words stand elsewhere, too.
func isDistinctive(b string) bool {
	t := measure(b)
	switch {
	case len(b) >= minLearned:
		return looksGenerated(b) || t.digit > 0 && t.alnums > t.digit && !isPlaceholder(b)
	case len(b) >= minSecret:
		return t.digit > 0 && t.upper > 0 && t.lower > 0 && !isPlaceholder(b)
	}
	return false
}
