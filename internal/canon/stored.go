package canon

// storedFamilies returns the families of the objects that OpenAI stores for its
// users (https://platform.openai.com/docs/api-reference): files, vector stores,
// conversations, responses. Gateways have them under their own base URLs, so
// neither the host nor the start of the path matches.
//
// Many servers have a path such as "/files". These families accept a request
// only if its path or its body has a mark of OpenAI: the start of an ID, or the
// purpose of a file. A list of files (GET /files) has neither, so no family
// knows it, and its host matches.
func storedFamilies() []*Family {
	return []*Family{
		change("openai.uploads", Family{
			Paths: []string{"/uploads"},
			Needs: []string{"filename purpose bytes mime_type"},
		}),
		change("openai.uploads.change", Family{
			Paths:   []string{"/uploads/upload_{upload...}"},
			AnyBody: true,
		}),

		change("openai.vector_stores", Family{
			Paths:   []string{"/vector_stores", "/vector_stores/{vector_store...}"},
			AnyBody: true,
		}),
		fetch("openai.vector_stores.retrieve", "/vector_stores", "/vector_stores/{vector_store...}"),
		remove("openai.vector_stores.delete", "/vector_stores/{vector_store...}"),

		change("openai.conversations", Family{
			Paths: []string{"/v1/conversations"},
			Only:  []string{"items", "metadata"},
		}),
		change("openai.conversations.change", Family{
			Paths:   []string{"/conversations/conv_{conversation...}"},
			AnyBody: true,
			Query:   []string{"include", "include[]"},
		}),
		fetch("openai.conversations.retrieve", "/conversations/conv_{conversation...}"),
		remove("openai.conversations.delete", "/conversations/conv_{conversation...}"),

		fetch("openai.responses.input_items", "/responses/resp_{response}/input_items"),
		change("openai.responses.cancel", Family{
			Paths:   []string{"/responses/resp_{response}/cancel"},
			AnyBody: true,
		}),
		remove("openai.responses.delete", "/responses/resp_{response}"),

		change("openai.batches.cancel", Family{
			Paths:   []string{"/batches/batch_{batch}/cancel"},
			AnyBody: true,
		}),

		change("openai.containers.change", Family{
			Paths:   []string{"/containers/cntr_{container...}"},
			AnyBody: true,
		}),
		fetch("openai.containers.retrieve", "/containers/cntr_{container...}"),
		remove("openai.containers.delete", "/containers/cntr_{container...}"),

		// After vector stores and containers, whose paths have files, too.
		change("openai.files", Family{
			Paths:      []string{"/files"},
			Needs:      filePurposes,
			TakesForms: true,
		}),
		fetch("openai.files.content", "/files/file-{file}/content"),
		fetch("openai.files.retrieve", "/files/file-{file}"),
		remove("openai.files.delete", "/files/file-{file}"),
	}
}

// filePurposes are the purposes of files at OpenAI, Mistral and Groq. Stripe
// has uploads with other purposes at the same path.
var filePurposes = []string{
	"purpose=assistants file", "purpose=batch file", "purpose=evals file", "purpose=fine-tune file",
	"purpose=ocr file", "purpose=user_data file", "purpose=vision file",
}

// change returns the family of a POST that creates or changes a stored object.
func change(name string, f Family) *Family {
	f.Name = name
	f.NoModel = true
	f.SideEffects = []string{"*"}
	return &f
}

// fetch returns the family of a GET of a stored object.
func fetch(name string, paths ...string) *Family { return poll(Family{Name: name, Paths: paths}) }

// remove returns the family of a DELETE of a stored object.
func remove(name string, paths ...string) *Family {
	f := fetch(name, paths...)
	f.Method = "DELETE"
	return f
}
