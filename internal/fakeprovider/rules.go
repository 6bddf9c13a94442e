package fakeprovider

import (
	"cmp"
	"net"
	"net/http"
	"strings"
)

// ruleSets are the rules of each endpoint. What a family needs to answer, such
// as a model and messages, it has checked itself.
//
// A rule is here only if its provider certainly refuses such a request: a wrong
// request that passes hides a mistake, but a right one that is refused makes the
// fake provider useless.
var ruleSets = map[string][]ruleSet{
	chat.name: {
		{isOpenAI, openaiChatRules},
		{isDeepSeek, deepSeekRules},
	},
	mistralChat.name:    {{anywhere, mistralRules}},
	responses.name:      {{isOpenAI, openaiResponsesRules}},
	embeddings.name:     {{isOpenAI, openaiEmbedRules}},
	messages.name:       {{isAnthropic, anthropicRules(anthropicMembers)}},
	invoke.name:         {{isClaudeOnBedrock, invokeRules}},
	gemini.name:         {{isGemini, geminiRules}},
	converse.name:       {{isBedrock, converseRules}},
	ollamaChat.name:     {{anywhere, ollamaRules}},
	ollamaGenerate.name: {{anywhere, ollamaRules}},
	cohereChat.name:     {{isCohere, cohereRules}},
}

// checkRules returns the first rule's problem that a request has, or nil. The
// family has read the request without a problem.
func checkRules(f *family, c *call, r *http.Request) *Problem {
	s := &sent{
		host:   hostOf(r),
		header: r.Header,
		model:  modelOf(f, c),
		body:   c.body,
	}
	for _, set := range ruleSets[f.name] {
		if !set.applies(s) {
			continue
		}
		for _, rule := range set.rules {
			if p := rule.check(s); p != nil {
				p.Rule, p.Source = rule.name, rule.source
				return p
			}
		}
	}
	return nil
}

// hostOf returns the host of a request, as a client or a server has it.
func hostOf(r *http.Request) string {
	host := cmp.Or(r.Host, r.URL.Host)
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	return strings.ToLower(strings.Trim(host, "[]"))
}

// modelOf returns the model of a request, from the path where it is there.
func modelOf(f *family, c *call) string {
	model := c.body.text("model")
	switch f.vendor {
	case google:
		model, _ = googleModel(c)
	case aws:
		model, _ = bedrockModel(c)
	}
	return model
}

// invokeRules are the rules of a Claude on Bedrock.
var invokeRules = bedrockSpelling(anthropicRules(anthropicInvokeMembers))

// bedrockSpelling returns rules of Anthropic whose problems are Bedrock's.
func bedrockSpelling(rules []rule) []rule {
	out := make([]rule, len(rules))
	for i, r := range rules {
		out[i] = r
		out[i].check = func(s *sent) *Problem {
			p := r.check(s)
			if p != nil {
				p.Kind = "ValidationException"
			}
			return p
		}
	}
	return out
}
