package canon

import (
	"strings"

	"github.com/promptecho/promptecho/internal/interaction"
)

// grpcFamilies returns the families of calls over gRPC. The path of the URL is
// the method; the body is the message as protojson writes it. Most methods need
// no family: host, method and the whole message match.
func grpcFamilies() []*Family {
	var families []*Family
	for _, f := range geminiFamilies() {
		methods, ok := geminiMethods[f.Name]
		if ok {
			families = append(families, f.overGRPC(methods))
		}
	}
	for _, f := range a2aFamilies() {
		if f.Name == "a2a.message" {
			families = append(families, f.overGRPC(a2aMethods))
		}
	}
	return append(families, milvusFamilies()...)
}

// grpcMethods are the paths of a family's methods.
type grpcMethods struct{ whole, stream []string }

// overGRPC returns the family of the same calls over gRPC.
func (f *Family) overGRPC(methods grpcMethods) *Family {
	over := *f
	over.Scheme = interaction.GRPCScheme
	over.Paths = methods.whole
	over.StreamPaths = methods.stream
	over.Query = nil
	return &over
}

// geminiMethods has the methods of Google's APIs by the families of their REST
// binding (https://github.com/googleapis/googleapis, packages
// google.ai.generativelanguage and google.cloud.aiplatform). The JSON of both is the
// same.
var geminiMethods = map[string]grpcMethods{
	"gemini.generateContent": {
		whole: append(
			generativeLanguage("GenerativeService/GenerateContent"),
			aiPlatform("PredictionService/GenerateContent")...,
		),
		stream: append(
			generativeLanguage("GenerativeService/StreamGenerateContent"),
			aiPlatform("PredictionService/StreamGenerateContent")...,
		),
	},
	"gemini.countTokens": {
		whole: append(
			generativeLanguage("GenerativeService/CountTokens"),
			aiPlatform("PredictionService/CountTokens")...,
		),
	},
	"gemini.embedContent":       {whole: generativeLanguage("GenerativeService/EmbedContent")},
	"gemini.batchEmbedContents": {whole: generativeLanguage("GenerativeService/BatchEmbedContents")},
	"vertex.predict":            {whole: aiPlatform("PredictionService/Predict")},
}

func generativeLanguage(method string) []string {
	return []string{"/google.ai.generativelanguage.{" + apiVersion + "}." + method}
}

func aiPlatform(method string) []string {
	return []string{"/google.cloud.aiplatform.{" + apiVersion + "}." + method}
}

// a2aMethods are the methods of A2A that send a message
// (https://github.com/a2aproject/A2A, specification/a2a.proto; a2a.v1 is the package of
// version 0.3).
var a2aMethods = grpcMethods{
	whole:  []string{"/lf.a2a.v1.A2AService/SendMessage", "/a2a.v1.A2AService/SendMessage"},
	stream: []string{"/lf.a2a.v1.A2AService/SendStreamingMessage", "/a2a.v1.A2AService/SendStreamingMessage"},
}

// methodOf returns the method of a call over gRPC by the path of its URL:
// "qdrant.Points/Query".
func methodOf(path string) string { return strings.TrimPrefix(path, "/") }

// milvusFamilies returns the methods of Milvus whose messages have values that
// differ from run to run (https://github.com/milvus-io/milvus-proto,
// proto/milvus.proto). The Go client sends the time and the name of its host when it
// connects.
func milvusFamilies() []*Family {
	const service = "milvus.proto.milvus.MilvusService/"
	return []*Family{{
		Name:       service + "Connect",
		NoModelAPI: true,
		Scheme:     interaction.GRPCScheme,
		Paths:      []string{"/" + service + "Connect"},
		Server:     true,
		Generated:  []string{"clientInfo/localTime", "clientInfo/host", "clientInfo/user"},
	}}
}
