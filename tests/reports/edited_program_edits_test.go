package reports_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
)

// An effect is in what an edited request differs from the recorded one.
type effect struct {
	paths          []string // the fields that differ
	unsetsVariable bool     // a text lacks a value, as if a variable were unset
	reason         string   // of the miss; "" if it is that the paths differ
	ignoredToo     bool     // the temperature, which is not compared, differs, too
}

// and returns the effect of this edit after an earlier one.
func (e effect) and(earlier effect) effect {
	if earlier.paths == nil {
		return e
	}
	return effect{
		paths:      append(earlier.paths, e.paths...),
		ignoredToo: earlier.ignoredToo || e.ignoredToo,
	}
}

// editAtRandom edits one request of a program, or all in the same way, once or twice. It returns
// the names of the edits, and the effect on each request that has changed.
func editAtRandom(rnd *rand.Rand, seed uint64, p program) (done []string, effects map[*chatRequest]effect) {
	effects = map[*chatRequest]effect{}
	editsAll := rnd.IntN(3) == 0 // as when an edit is in what all requests share
	chosen := p[rnd.IntN(len(p))]
	message := rnd.IntN(len(chosen.Messages))
	edited := program{chosen}
	if editsAll {
		edited = p
		message = 0
	}
	for range 1 + rnd.IntN(5)/4 {
		edit := edits[rnd.IntN(len(edits))]
		if slices.Contains(done, edit.name) {
			continue // it could undo the first
		}
		done = append(done, edit.name)
		for _, req := range edited {
			sameForAll := rand.New(rand.NewPCG(seed, uint64(len(done))))
			effect := edit.apply(sameForAll, req, min(message, len(req.Messages)-1))
			if effect.paths != nil {
				effects[req] = effect.and(effects[req])
			}
		}
	}
	return done, effects
}

// edits are what a programmer does to a request. Each is applied to the message of a number, if
// it is about one. An edit that cannot be applied has no effect.
var edits = []struct {
	name  string
	apply func(rnd *rand.Rand, req *chatRequest, message int) effect
}{
	{"a word changed", func(rnd *rand.Rand, req *chatRequest, message int) effect {
		words := strings.Fields(req.Messages[message].Content)
		words[rnd.IntN(len(words))] = randomWords(rnd, 1)
		req.Messages[message].Content = strings.Join(words, " ")
		return effect{paths: []string{contentOf(message)}}
	}},
	{"a word added", func(rnd *rand.Rand, req *chatRequest, message int) effect {
		req.Messages[message].Content += " " + randomWords(rnd, 1)
		return effect{paths: []string{contentOf(message)}}
	}},
	{"a variable unset", func(_ *rand.Rand, req *chatRequest, _ int) effect {
		req.Messages[0].Content = strings.Replace(req.Messages[0].Content, "eu-west-1", "", 1)
		return effect{paths: []string{contentOf(0)}, unsetsVariable: true}
	}},
	{"a word removed", func(_ *rand.Rand, req *chatRequest, _ int) effect {
		req.Messages[0].Content = strings.Replace(req.Messages[0].Content, "a guide", "guide", 1)
		return effect{paths: []string{contentOf(0)}}
	}},
	{"a date added", func(rnd *rand.Rand, req *chatRequest, message int) effect {
		req.Messages[message].Content += fmt.Sprintf(" on 2026-%02d-11", 1+rnd.IntN(12))
		return effect{paths: []string{contentOf(message)}}
	}},
	{"a message added", func(rnd *rand.Rand, req *chatRequest, message int) effect {
		added := chatMessage{"user", randomWords(rnd, 4)}
		req.Messages = slices.Insert(req.Messages, message+1, added)
		return effect{paths: []string{fmt.Sprintf("messages/%d", message+1)}}
	}},
	{"a message removed", func(_ *rand.Rand, req *chatRequest, message int) effect {
		if len(req.Messages) < 3 {
			return effect{}
		}
		message = min(message, len(req.Messages)-2)
		req.Messages = slices.Delete(req.Messages, message, message+1)
		return effect{paths: []string{fmt.Sprintf("messages/%d", message)}}
	}},
	{"two messages swapped", func(_ *rand.Rand, req *chatRequest, _ int) effect {
		if len(req.Messages) < 4 {
			return effect{}
		}
		req.Messages[1], req.Messages[3] = req.Messages[3], req.Messages[1]
		return effect{paths: []string{"messages/1", "messages/3"}}
	}},
	{"another role", func(_ *rand.Rand, req *chatRequest, _ int) effect {
		last := len(req.Messages) - 1
		req.Messages[last].Role = "assistant"
		return effect{paths: []string{fmt.Sprintf("messages/%d/role", last)}}
	}},
	{"another model", func(_ *rand.Rand, req *chatRequest, _ int) effect {
		req.Model = "gpt-5"
		return effect{paths: []string{"model"}, reason: "recorded for another model, gpt-4o"}
	}},
	{"a tool added", func(rnd *rand.Rand, req *chatRequest, _ int) effect {
		at := rnd.IntN(len(req.Tools) + 1)
		req.Tools = slices.Insert(slices.Clone(req.Tools), at, newTool(rnd, "added"))
		return effect{paths: []string{fmt.Sprintf("tools/%d", at), "tools"}}
	}},
	{"another description of a tool", func(rnd *rand.Rand, req *chatRequest, _ int) effect {
		if len(req.Tools) == 0 {
			return effect{}
		}
		req.Tools = slices.Clone(req.Tools)
		req.Tools[0].Function.Description += " " + randomWords(rnd, 1)
		return effect{paths: []string{"tools/0/function/description", "tools/0/description"}}
	}},
	{"a field added", func(rnd *rand.Rand, req *chatRequest, _ int) effect {
		req.Mood = randomWords(rnd, 1)
		return effect{paths: []string{"mood"}}
	}},
	{"another header", func(rnd *rand.Rand, req *chatRequest, _ int) effect {
		req.tenant = randomWords(rnd, 1)
		return effect{paths: []string{"header/x-tenant"}}
	}},
	{"another temperature and a word added", func(rnd *rand.Rand, req *chatRequest, message int) effect {
		req.Temperature = 0.9
		req.Messages[message].Content += " " + randomWords(rnd, 1)
		return effect{paths: []string{contentOf(message)}, ignoredToo: true}
	}},
}

// contentOf returns the path of the content of a message.
func contentOf(message int) string { return fmt.Sprintf("messages/%d/content", message) }
