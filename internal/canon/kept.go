package canon

// What OpenAI keeps for its users (https://platform.openai.com/docs/api-reference): files, vector
// stores, conversations, responses. Gateways have them under their own base URL, so the host and
// what stands before these paths only choose.
//
// Anybody may have a path such as "/files". These families take a request only if its path or its
// body says that it is one of OpenAI's: by the beginning of an ID, or by a purpose. A list of files
// (GET /files) says neither, so its host is compared as that of any other server.
func keptFamilies() []*Family {
	return []*Family{
		change("openai.uploads", Family{Paths: []string{"/uploads"}, Needs: []string{"filename purpose bytes mime_type"}}),
		change("openai.uploads.change", Family{Paths: []string{"/uploads/upload_{upload...}"}, AnyBody: true}),

		change("openai.vector_stores", Family{Paths: []string{"/vector_stores", "/vector_stores/{vector_store...}"}, AnyBody: true}),
		fetch("openai.vector_stores.retrieve", "/vector_stores", "/vector_stores/{vector_store...}"),
		remove("openai.vector_stores.delete", "/vector_stores/{vector_store...}"),

		change("openai.conversations", Family{Paths: []string{"/v1/conversations"}, Only: []string{"items", "metadata"}}),
		change("openai.conversations.change", Family{Paths: []string{"/conversations/conv_{conversation...}"}, AnyBody: true, Query: []string{"include", "include[]"}}),
		fetch("openai.conversations.retrieve", "/conversations/conv_{conversation...}"),
		remove("openai.conversations.delete", "/conversations/conv_{conversation...}"),

		fetch("openai.responses.input_items", "/responses/resp_{response}/input_items"),
		change("openai.responses.cancel", Family{Paths: []string{"/responses/resp_{response}/cancel"}, AnyBody: true}),
		remove("openai.responses.delete", "/responses/resp_{response}"),

		change("openai.batches.cancel", Family{Paths: []string{"/batches/batch_{batch}/cancel"}, AnyBody: true}),

		change("openai.containers.change", Family{Paths: []string{"/containers/cntr_{container...}"}, AnyBody: true}),
		fetch("openai.containers.retrieve", "/containers/cntr_{container...}"),
		remove("openai.containers.delete", "/containers/cntr_{container...}"),

		// Behind those that have files of their own.
		change("openai.files", Family{Paths: []string{"/files"}, Needs: filePurposes, TakesForms: true}),
		fetch("openai.files.content", "/files/file-{file}/content"),
		fetch("openai.files.retrieve", "/files/file-{file}"),
		remove("openai.files.delete", "/files/file-{file}"),
	}
}

// filePurposes are the purposes that OpenAI, Mistral and Groq give to a file. Other services have
// uploads with a purpose, too: Stripe has them at the same path.
var filePurposes = []string{
	"purpose=assistants file", "purpose=batch file", "purpose=evals file", "purpose=fine-tune file", "purpose=ocr file",
	"purpose=user_data file", "purpose=vision file",
}

// change is a POST that changes what a server keeps.
func change(name string, f Family) *Family {
	f.Name, f.NoModel, f.Acts = name, true, []string{"*"}
	return &f
}

// fetch is a GET of what a server keeps.
func fetch(name string, paths ...string) *Family { return poll(Family{Name: name, Paths: paths}) }

// remove is a DELETE of what a server keeps.
func remove(name string, paths ...string) *Family {
	f := fetch(name, paths...)
	f.Method = "DELETE"
	return f
}
