// Package models has facts about the models of providers: when they are retired, and what
// their tokens cost.
//
// Providers announce retirements two weeks to six months ahead, and change prices without
// notice. So the tables are never complete, and each row says where it was read and when. To
// renew them, read the pages in sources.go, change the rows, and set the day of reading. A row
// is added only after it was read; facts are taken over, sentences are not.
//
// A model that is not in a table is unknown: it has no retirement and no price.
package models

import (
	"regexp"
	"strings"

	"github.com/promptecho/promptecho/internal/memo"
)

// region matches the region of an inference profile of Amazon Bedrock:
// "us." in "us.anthropic.claude-sonnet-4-5-20250929-v1:0".
var region = memo.Regexp(`^(us|us-gov|eu|apac|jp|au|ca|global)\.`)

// vendor matches the vendor of a model ID of Amazon Bedrock.
var vendor = memo.Regexp(`^(anthropic|amazon|cohere|mistral|openai)\.`)

// revision matches the end of a model ID of Amazon Bedrock: "-v1:0", or "-v1".
var revision = memo.Regexp(`-v\d+(:\d+)?$`)

// version matches the end of a name that selects one version of a model:
// "-2024-07-18" (OpenAI), "-20250929" (Anthropic), "-001" (Gemini), "-latest".
var version = memo.Regexp(`-(\d{4}-\d{2}-\d{2}|20\d{6}|0\d\d|latest)$`)

// base returns the name of a model without the path that platforms put in front:
//
//	models/gemini-2.5-flash                      gemini-2.5-flash
//	openai/gpt-4o-mini                           gpt-4o-mini
//	us.anthropic.claude-3-haiku-20240307-v1:0    anthropic.claude-3-haiku-20240307-v1:0
func base(model string) string {
	name := model[strings.LastIndex(model, "/")+1:]
	return cut(region(), name)
}

// priceNames returns the names under which the price of a model may be listed: its own name,
// its name without what platforms add to it, and this name without its version.
//
//	anthropic.claude-3-haiku-20240307-v1:0    claude-3-haiku-20240307    claude-3-haiku
//	claude-3-haiku@20240307                   claude-3-haiku-20240307    claude-3-haiku
func priceNames(model string) []string {
	name := base(model)
	plain := cut(vendor(), name)
	if plain != name {
		plain = cut(revision(), plain)
	}
	plain = strings.ReplaceAll(plain, "@", "-")
	return []string{name, plain, cut(version(), plain)}
}

// cut returns a text without what an expression matches.
func cut(what *regexp.Regexp, text string) string { return what.ReplaceAllString(text, "") }
