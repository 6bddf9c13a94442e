package fakeprovider

import (
	"cmp"
	"fmt"
)

// moderations is OpenAI Moderations. Nothing is flagged, whatever the script says.
var moderations = family{
	name:   "openai.moderations",
	vendor: openai,
	owns:   suffix("/moderations"),
	read:   readModeration,
	write:  writeModeration,
}

// moderationCategories are the categories of omni-moderation-latest, and whether
// they apply to pictures, too
// (https://platform.openai.com/docs/guides/moderation#content-classifications).
var moderationCategories = []struct {
	name         string
	judgesImages bool
}{
	{"harassment", false},
	{"harassment/threatening", false},
	{"sexual", true},
	{"hate", false},
	{"hate/threatening", false},
	{"illicit", false},
	{"illicit/violent", false},
	{"self-harm/intent", true},
	{"self-harm/instructions", true},
	{"self-harm", true},
	{"sexual/minors", false},
	{"violence", true},
	{"violence/graphic", true},
}

func readModeration(c *call) (prompt, *Problem) {
	if c.body.text("model") == noModel {
		return prompt{}, openaiModel(c)
	}
	if len(moderationInputs(c.body.get("input"))) == 0 {
		return prompt{}, missing("input")
	}
	return prompt{free: true}, nil
}

// moderationInputs reads a text, texts, or the parts of one input.
func moderationInputs(v any) []string {
	list, _ := v.([]any)
	var texts []string
	for _, item := range list {
		text, ok := item.(string)
		if !ok {
			return []string{contentText(v)}
		}
		texts = append(texts, text)
	}
	if text, ok := v.(string); ok {
		return []string{text}
	}
	return texts
}

func writeModeration(c *call, _ prompt, _ []Reply) *answer {
	var results []object
	for range moderationInputs(c.body.get("input")) {
		results = append(results, unflagged(c))
	}
	return &answer{body: append(pretty(object{
		{"id", fmt.Sprintf("modr-standin%06d", c.n)},
		{"model", cmp.Or(c.body.text("model"), "omni-moderation-latest")},
		{"results", results},
	}, "  "), '\n')}
}

// unflagged is the result of an input in which nothing is found.
func unflagged(c *call) object {
	var flags, scores, types object
	for _, category := range moderationCategories {
		applied := []any{"text"}
		if category.judgesImages && hasPicture(c.body.list("input")) {
			applied = append(applied, "image")
		}
		flags = append(flags, field{category.name, false})
		scores = append(scores, field{category.name, raw("0.00001")})
		types = append(types, field{category.name, applied})
	}
	return object{
		{"flagged", false},
		{"categories", flags},
		{"category_scores", scores},
		{"category_applied_input_types", types},
	}
}

func hasPicture(input []any) bool {
	for _, part := range objects(input) {
		if part.text("type") == "image_url" {
			return true
		}
	}
	return false
}
