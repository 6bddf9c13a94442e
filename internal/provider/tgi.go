package provider

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"
)

// huggingface is the vendor of Hugging Face's text generation. It asks for no key.
var huggingface = &vendor{
	key: unasked,
	badJSON: func(error) problem {
		return problem{status: http.StatusUnprocessableEntity, kind: "validation", message: "Failed to parse the request body as JSON"}
	},
	headers: func(c *call, h http.Header, _ int) {
		h.Set("X-Request-Id", fmt.Sprintf("standin%06d", c.n))
	},
	refuse: func(_ *call, _ http.Header, p problem) []byte {
		if p.message == "" {
			p.kind, p.message = "generation", "Refused with status "+strconv.Itoa(p.status)+" (stand-in, on demand)"
		}
		return encode(object{{"error", p.message}, {"error_type", p.kind}})
	},
}

// hfInference is inference of a model that the path names: text generation, or
// the embeddings of a list of inputs.
var hfInference = family{
	name:   "hf.inference",
	vendor: huggingface,
	owns: func(path string) bool {
		before, model, ok := strings.Cut(path, "/models/")
		return ok && strings.Count(model, "/") == 1 && !strings.Contains(model, ":") && !strings.Contains(before, "/v1")
	},
	answer: answerHFInference,
}

func answerHFInference(c *call) (*answer, *problem) {
	if strings.HasSuffix(c.path, "/"+noModel) {
		return nil, &problem{status: http.StatusNotFound, kind: "validation", message: "Model " + noModel + " does not exist"}
	}
	if list, ok := c.body.get("inputs").([]any); ok {
		vectors := []any{}
		for _, text := range stopsOf(list) {
			vectors = append(vectors, embed(text, 384))
		}
		return &answer{body: encode(vectors)}, nil
	}
	options := c.body.sub("parameters")
	r := plainReply(c.body.text("inputs"), max(options.number("max_new_tokens"), options.number("max_length")), stopsOf(options.get("stop")))
	return &answer{body: encode([]object{{{"generated_text", r.text}}})}, nil
}

// tgi is text generation: generate and generate_stream.
var tgi = family{
	name:   "hf.generate",
	vendor: huggingface,
	owns: func(path string) bool {
		return suffix("/generate", "/generate_stream")(path) && !suffix("/api/generate", "/v1/generate")(path)
	},
	answer: answerTGI,
}

func answerTGI(c *call) (*answer, *problem) {
	inputs := c.body.text("inputs")
	if inputs == "" {
		return nil, &problem{status: http.StatusUnprocessableEntity, kind: "validation",
			message: "Input validation error: `inputs` cannot be empty"}
	}
	options := c.body.sub("parameters")
	r := plainReply(inputs, options.number("max_new_tokens"), stopsOf(options.get("stop")))
	details := object{{"finish_reason", tgiFinish(r)}, {"generated_tokens", r.out}, {"seed", nil}}
	if !strings.HasSuffix(c.path, "/generate_stream") && !c.body.flag("stream") {
		o := object{{"generated_text", r.text}}
		if options.flag("details") {
			o = append(o, field{"details", append(details, field{"prefill", []any{}}, field{"tokens", tgiTokens(r)})})
		}
		return &answer{body: encode(o)}, nil
	}
	var events [][]byte
	r.tokens = deltas(r.tokens)
	for i, t := range tgiTokens(r) {
		o := object{{"index", i + 1}, {"token", t}, {"generated_text", nil}, {"details", nil}}
		if i == len(r.tokens)-1 {
			o[2].value = r.text
			o[3].value = append(details, field{"input_length", r.in})
		}
		events = append(events, append(append([]byte("data:"), encode(o)...), "\n\n"...))
	}
	return &answer{kind: "text/event-stream", events: events}, nil
}

func tgiFinish(r reply) string {
	return [...]string{ended: "eos_token", limited: "length", stopped: "stop_sequence", called: "eos_token"}[r.why]
}

func tgiTokens(r reply) []object {
	var list []object
	for i, text := range r.tokens {
		list = append(list, object{{"id", i + 1}, {"text", text}, {"logprob", raw("-0.1")}, {"special", false}})
	}
	return list
}
